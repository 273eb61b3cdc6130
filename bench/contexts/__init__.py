"""What the templates of the corpus are rendered with: plain functions that give fixed data, the same in every run."""
