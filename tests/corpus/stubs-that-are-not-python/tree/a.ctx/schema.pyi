class Input:
    名前: str
    日本: int = = 3
