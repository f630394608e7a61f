"""What the clients in Python share: their lines to lib/check."""
import contextlib
import importlib
import os
import shutil
import subprocess
import sys
import tempfile
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


def find_pooler(name):
    """The path of a pooler, unless it is not there: then nothing is asked."""
    program = shutil.which(name, path=os.environ["PATH"] + ":/usr/sbin:/sbin")
    if program is None:
        say("skip", "there is no " + name)
        sys.exit()
    return program


@contextlib.contextmanager
def run_pooler(command, configuration, port):
    """
    Runs a program between clients and the server, with its configuration as the
    file conf in a directory of its own, in which its socket is, too. In command
    and configuration {directory} is that directory, and {host}, {port}, {user} and
    {database} tell where the server is. Yields the directory.
    """
    with tempfile.TemporaryDirectory(dir="/tmp") as directory:
        places = {name: os.environ["PG" + name.upper()] for name in ("host", "port", "user", "database")}
        places["directory"] = directory
        with open(os.path.join(directory, "conf"), "w") as file:
            file.write(configuration.format(**places))
        command = [word.format(**places) for word in command]
        if os.getuid() == 0:  # which poolers may refuse to run as
            shutil.chown(directory, "postgres")
            command = ["runuser", "-u", "postgres", "--"] + command
        process = subprocess.Popen(command, stderr=subprocess.DEVNULL, stdout=subprocess.DEVNULL)
        try:
            for _ in range(100):
                if os.path.exists(os.path.join(directory, ".s.PGSQL.%s" % port)):
                    break
                time.sleep(0.05)
            yield directory
        finally:
            process.terminate()
            process.wait()


def version_of(program, option):
    """The first line of what a program says of its version."""
    run = subprocess.run([program, option], stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
    return run.stdout.strip().splitlines()[0]
