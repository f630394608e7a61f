"""What the clients in Python share: their lines to lib/check."""
import importlib
import sys


def say(*fields):
    print(*fields, sep="\t", flush=True)


def need(module):
    """The module, unless it is not there: then nothing is asked."""
    try:
        return importlib.import_module(module)
    except ImportError:
        say("skip", "there is no module %s for python3" % module)
        sys.exit()


def ask(question, *fields):
    """The last field is the answer, of groups as a dictionary."""
    *parameters, answer = fields
    if isinstance(answer, dict):
        answer = ["%s=%s" % item for item in answer.items()]
    else:
        answer = [answer]
    say(question, *parameters, *answer)


def same(what, got, expected):
    say("same", what, got, expected)


def done():
    say("done")
