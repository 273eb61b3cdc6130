from shared import Input
