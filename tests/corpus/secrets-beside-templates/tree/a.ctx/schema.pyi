# https://app:not-a-real-4@example.org
