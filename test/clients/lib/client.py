"""What the clients in Python share: their lines to lib/check."""
import importlib
import os
import shutil
import subprocess
import sys
import time


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


def start_pooler(command, directory, socket):
    """A program between clients and server, which may refuse to run as root."""
    if os.getuid() == 0:
        shutil.chown(directory, "postgres")
        command = ["runuser", "-u", "postgres", "--"] + command
    process = subprocess.Popen(command, stderr=subprocess.DEVNULL, stdout=subprocess.DEVNULL)
    for _ in range(100):
        if os.path.exists(os.path.join(directory, socket)):
            break
        time.sleep(0.05)
    return process
