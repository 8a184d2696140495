# SPDX-License-Identifier: MIT
"""Metadata, credentials, and what must never leave the process."""
import os
import resource
import signal
import socket

from e2e import *

try:
    from fake_aws import KEY, REGION, SECRET, TOKEN, FakeAws
except ImportError:
    FakeAws = None


def aws(**how):
    if not FakeAws:
        skip("no botocore")
    fake = FakeAws(**how)
    defer(fake.close)
    return fake


def bare(fake, **more):
    """Without credentials and Region in the environment."""
    return fake.env(**{**dict.fromkeys(("AWS_ACCESS_KEY_ID", "AWS_SECRET_ACCESS_KEY", "AWS_SESSION_TOKEN", "AWS_REGION")),
                       "XDG_STATE_HOME": scratch(), **more})


def write(path, text):
    with open(path, "w") as f:
        f.write(text)
    return path


@test
def an_instance_role_needs_no_configuration_and_asks_for_a_token_first():
    fake = aws(volumes=1, imds="role")
    r = ebscope("volumes", "list", env=bare(fake))
    equal(r.status, 0, r)
    equal(fake.metadata[0], ("PUT", "/imds/latest/api/token"))
    equal([m for m, _ in fake.metadata].count("PUT"), 1)
    assert len(fake.metadata) <= 4, fake.metadata


@test
def a_server_that_drops_the_token_request_costs_one_attempt_of_a_second():
    fake = aws()
    s = socket.socket()
    defer(s.close)
    s.bind(("127.0.0.1", 0))
    s.listen(5)                                         # connects, and never answers
    r = ebscope("volumes", "list", env=bare(fake, AWS_METADATA_SERVICE_TIMEOUT=None, AWS_EC2_METADATA_SERVICE_ENDPOINT=
                                            "http://127.0.0.1:%d" % s.getsockname()[1]))
    assert r.seconds < 15, "as long as any other request may take: %r" % r
    equal(r.status, 2)
    contains(r.err, "no Region", "HttpPutResponseHopLimit")
    s.settimeout(0.1)
    s.accept()
    try:
        s.accept()
    except TimeoutError:
        return
    raise AssertionError("asked twice")


@test
def disabled_metadata_is_not_asked():
    fake = aws(imds="role")
    r = ebscope("volumes", "list", env=bare(fake, AWS_EC2_METADATA_DISABLED="true"))
    equal(r.status, 2)
    equal(fake.metadata, [])


@test
def no_credentials_is_one_line():
    fake = aws()
    r = ebscope("volumes", "list", env=bare(fake, AWS_REGION="eu-west-1", AWS_EC2_METADATA_DISABLED="true"))
    equal(r.status, 3)
    contains(r.err, "no AWS credentials")
    equal(len(r.err.splitlines()), 1)
    equal(fake.calls, [])


@test
def a_profile_of_the_files_is_used():
    fake, folder = aws(volumes=1), scratch()
    credentials = write(folder + "/credentials", "[test]\naws_access_key_id = %s\naws_secret_access_key = %s\n"
                        "aws_session_token = %s\n" % (KEY, SECRET, TOKEN))
    config = write(folder + "/config", "[profile test]\nregion = eu-west-1\nservices = s\n[services s]\nec2 =\n"
                   "  endpoint_url = %s\n" % fake.url)
    env = bare(fake, AWS_SHARED_CREDENTIALS_FILE=credentials, AWS_CONFIG_FILE=config, AWS_ENDPOINT_URL=None)
    equal(ebscope("volumes", "list", "--profile", "test", env=env).status, 0)
    equal(ebscope("volumes", "list", env={**env, "AWS_PROFILE": "test"}).status, 0)
    r = ebscope("volumes", "list", "--profile", "nobody", env=env)
    equal(r.status, 2)
    contains(r.err, "nobody")


@test
def a_credential_process_gives_credentials_and_sees_no_secret():
    fake, folder = aws(volumes=1), scratch()
    script = write(folder + "/process", "#!/bin/sh\ncd '%s'\nenv >env\ntr '\\0' ' ' </proc/$PPID/cmdline >parent\n"
                   'echo \'{"Version":1,"AccessKeyId":"%s","SecretAccessKey":"%s","SessionToken":"%s"}\'\n' %
                   (folder, KEY, SECRET, TOKEN))
    config = write(folder + "/config", "[profile p]\nregion = eu-west-1\ncredential_process = /bin/sh \"%s\"\n" %
                   script)
    env = {**fake.env(AWS_CONFIG_FILE=config, XDG_STATE_HOME=scratch())}
    equal(ebscope("volumes", "list", "--profile", "p", env=env).status, 0)
    with open(folder + "/env") as f:
        seen = f.read()
    assert SECRET not in seen and TOKEN not in seen
    with open(folder + "/parent") as f:
        assert SECRET not in f.read()


@test
def container_credentials_are_taken_with_their_token():
    fake = aws(volumes=1)
    r = ebscope("volumes", "list", env=bare(fake, AWS_REGION="eu-west-1", AWS_CONTAINER_CREDENTIALS_FULL_URI=fake.url +
                                            "/creds", AWS_CONTAINER_AUTHORIZATION_TOKEN="Bearer x"))
    equal(r.status, 0, r)
    equal(fake.metadata, [("GET", "/creds")])
    contains(fake.raw[0], "Authorization: Bearer x")


@test
def a_task_tells_its_region():
    fake = aws(volumes=1, task={"TaskARN": "arn:aws:ecs:eu-west-1:111122223333:task/c/1", "LaunchType": "FARGATE"})
    env = {**bare(fake), **{k: fake.env()[k] for k in ("AWS_ACCESS_KEY_ID", "AWS_SECRET_ACCESS_KEY",
                                                      "AWS_SESSION_TOKEN")}}
    equal(ebscope("volumes", "list", env={**env, "ECS_CONTAINER_METADATA_URI_V4": fake.url + "/v4/x"}).status, 0)
    assert not [p for _, p in fake.metadata if p.startswith("/imds")], fake.metadata


@test
def a_crash_while_secrets_are_held_leaves_no_core():
    fake, folder = aws(volumes=1, delay=60), scratch()
    _, hard = resource.getrlimit(resource.RLIMIT_CORE)
    p = start(*program("volumes", "wait", "vol-00000000000000001", "deleted"), env=fake.env(XDG_STATE_HOME=scratch()),
              cwd=folder, preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_CORE, (hard, hard)))
    wait_until(lambda: fake.calls)
    with open("/proc/%d/limits" % p.pid) as f:
        core = [line for line in f if line.startswith("Max core file size")][0]
    equal(core.split()[4], "0")
    with open("/proc/%d/coredump_filter" % p.pid) as f:
        equal(int(f.read(), 16), 0)
    with open("/proc/%d/cmdline" % p.pid) as f:
        assert SECRET not in f.read()
    p.send_signal(signal.SIGSEGV)
    p.wait(10)
    equal(os.listdir(folder), [])


@test
def no_secret_in_any_message_or_journal():
    fake, state = aws(volumes=1), scratch()
    texts = []
    for kind in (None, "deny", "html", "cut", "AuthFailure", "throttle", "error"):
        fake.faults.clear()
        if kind:
            fake.fault("*", kind, 9)
        for args in (("list",), ("list", "--format", "json"), ("create", "gp3:10", "--az", "eu-west-1a", "--yes"),
                     ("delete", "vol-00000000000000001", "--dry-run"), ("cleanup",)):
            if kind in ("throttle", "error") and args[0] != "list":
                continue        # each retry waits
            r = ebscope("volumes", *args, env=fake.env(XDG_STATE_HOME=state))
            texts += [r.out, r.err]
    with open(state + "/ebscope/volumes.jsonl") as f:
        texts.append(f.read())
    for text in texts:
        assert SECRET not in text and TOKEN not in text, text


@test
def no_secret_in_a_recording():
    fake, folder = aws(), scratch()
    r = ebscope("run", "sim:gp3:100", "--runtime", "0.3", "--record", folder + "/run.jsonl",
                env=fake.env(XDG_STATE_HOME=folder))
    equal(r.status, 0, r)
    for path, _, names in os.walk(folder):
        for name in names:
            with open(os.path.join(path, name), errors="replace") as f:
                text = f.read()
            assert SECRET not in text and TOKEN not in text and KEY not in text


main()
