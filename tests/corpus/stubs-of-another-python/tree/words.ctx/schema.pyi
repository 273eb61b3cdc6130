from shared import
