print("never run by a build")
