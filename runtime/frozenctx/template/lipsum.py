"""Paragraphs of pseudo-Latin for the global `lipsum`, loaded at its first call.

The vocabulary and the order of draws are jinja2's, so that the same seed of `random` gives the same text.
"""

import random

WORDS = """
a ac accumsan ad adipiscing aenean aliquam aliquet amet ante aptent arcu at auctor augue bibendum blandit class commodo
condimentum congue consectetuer consequat conubia convallis cras cubilia cum curabitur curae cursus dapibus diam dictum
dictumst dignissim dis dolor donec dui duis egestas eget eleifend elementum elit enim erat eros est et etiam eu euismod
facilisi facilisis fames faucibus felis fermentum feugiat fringilla fusce gravida habitant habitasse hac hendrerit
hymenaeos iaculis id imperdiet in inceptos integer interdum ipsum justo lacinia lacus laoreet lectus leo libero ligula
litora lobortis lorem luctus maecenas magna magnis malesuada massa mattis mauris metus mi molestie mollis montes morbi
mus nam nascetur natoque nec neque netus nibh nisi nisl non nonummy nostra nulla nullam nunc odio orci ornare parturient
pede pellentesque penatibus per pharetra phasellus placerat platea porta porttitor posuere potenti praesent pretium
primis proin pulvinar purus quam quis quisque rhoncus ridiculus risus rutrum sagittis sapien scelerisque sed sem semper
senectus sit sociis sociosqu sodales sollicitudin suscipit suspendisse taciti tellus tempor tempus tincidunt torquent
tortor tristique turpis ullamcorper ultrices ultricies urna ut varius vehicula vel velit venenatis vestibulum vitae
vivamus viverra volutpat vulputate
""".split()  # noqa: SIM905 (a text is shorter to read)


def paragraph(least: int, most: int) -> str:
    """Return one paragraph of `least` to `most - 1` words that begins with a capital and ends with a full stop."""
    words: list[str] = []
    starts_sentence = True
    last_comma = last_stop = 0
    previous = None
    for position in range(random.randrange(least, most)):
        word = random.choice(WORDS)
        while word == previous:
            word = random.choice(WORDS)
        previous = word
        if starts_sentence:
            word = word.capitalize()
            starts_sentence = False
        if position - random.randrange(3, 8) > last_comma:
            last_comma = position
            last_stop += 2
            word += ","
        if position - random.randrange(10, 20) > last_stop:
            last_comma = last_stop = position
            word += "."
            starts_sentence = True
        words.append(word)
    text = " ".join(words)
    if text.endswith(","):
        return text[:-1] + "."
    return text if text.endswith(".") else text + "."
