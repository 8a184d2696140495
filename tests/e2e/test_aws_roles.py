# SPDX-License-Identifier: MIT
"""Roles: credentials that STS gives for others, against a stand-in that is written from botocore's models."""
import os

from e2e import *

try:
    from fake_aws import KEY, SECRET, TOKEN, FakeAws
except ImportError:
    FakeAws = None

ROLE, OTHER = "arn:aws:iam::111122223333:role/measure", "arn:aws:iam::444455556666:role/other"
KEYS = "[base]\naws_access_key_id = %s\naws_secret_access_key = %s\naws_session_token = %s\n"


def aws(**how):
    if not FakeAws:
        skip("no botocore")
    sts = {"roles": {ROLE: None, OTHER: "x:1/2+3=4@5"}, "web": "eyJ.web+identity/token==", **how.pop("sts", {})}
    fake = FakeAws(volumes=1, sts=sts, **how)
    defer(fake.close)
    return fake


def files(fake, config, **more):
    """An environment without credentials of its own, with these profiles and the keys of profile base."""
    folder = scratch()
    for name, text in (("config", config), ("credentials", KEYS % (KEY, SECRET, TOKEN))):
        with open(folder + "/" + name, "w") as f:
            f.write(text)
    return fake.env(**{**dict.fromkeys(("AWS_ACCESS_KEY_ID", "AWS_SECRET_ACCESS_KEY", "AWS_SESSION_TOKEN")),
                       "AWS_CONFIG_FILE": folder + "/config", "AWS_SHARED_CREDENTIALS_FILE": folder + "/credentials",
                       "AWS_EC2_METADATA_DISABLED": "true", "XDG_STATE_HOME": scratch(), **more})


def listed(env, profile="r"):
    return ebscope("volumes", "list", *(("--profile", profile) if profile else ()), "--format", "json", env=env)


@test
def a_role_is_assumed_with_the_keys_of_its_source_profile():
    fake = aws()
    r = listed(files(fake, "[profile r]\nrole_arn = %s\nsource_profile = base\nrole_session_name = me@here\n"
                     "duration_seconds = 900\n" % ROLE))
    equal(r.status, 0, r)
    equal(len(r.json["volumes"]), 1)
    equal(fake.calls[0], ("AssumeRole", {"RoleArn": ROLE, "RoleSessionName": "me@here", "DurationSeconds": 900}))
    equal(fake.actions().count("AssumeRole"), 1)


@test
def a_role_leads_to_a_role_with_an_external_id():
    fake = aws()
    r = listed(files(fake, "[profile r]\nrole_arn = %s\nsource_profile = mid\nexternal_id = x:1/2+3=4@5\n"
                     "[profile mid]\nrole_arn = %s\nsource_profile = base\n" % (OTHER, ROLE)))
    equal(r.status, 0, r)
    equal([c[1]["RoleArn"] for c in fake.calls[:2]], [ROLE, OTHER])


@test
def a_profile_may_be_the_source_of_its_own_role():
    fake = aws()
    r = listed(files(fake, "[profile base]\nrole_arn = %s\nsource_profile = base\n" % ROLE), "base")
    equal(r.status, 0, r)


@test
def a_role_takes_its_credentials_from_where_credential_source_says():
    fake = aws(imds="role")
    config = "[profile r]\nrole_arn = %s\ncredential_source = %%s\n" % ROLE
    for name, more in (("Environment", {"AWS_ACCESS_KEY_ID": KEY, "AWS_SECRET_ACCESS_KEY": SECRET, "AWS_SESSION_TOKEN": TOKEN}),
                       ("Ec2InstanceMetadata", {"AWS_EC2_METADATA_DISABLED": None}),
                       ("EcsContainer", {"AWS_CONTAINER_CREDENTIALS_FULL_URI": fake.url + "/creds"})):
        r = listed(files(fake, config % name, **more))
        equal(r.status, 0, r)
        equal(fake.actions()[0], "AssumeRole")
        fake.calls.clear()
        r = listed(files(fake, config % name))
        equal(r.status, 3, r)
        contains(r.err, 'profile "r"', name, "there are none")


@test
def web_identity_of_a_pod_is_taken_from_the_environment_and_is_not_signed():
    fake, folder = aws(), scratch()
    with open(folder + "/token", "w") as f:
        f.write("eyJ.web+identity/token==\n")
    r = listed(files(fake, "", AWS_WEB_IDENTITY_TOKEN_FILE=folder + "/token", AWS_ROLE_ARN=ROLE,
                     AWS_ROLE_SESSION_NAME="pod-1"), None)
    equal(r.status, 0, r)
    equal(fake.calls[0], ("AssumeRoleWithWebIdentity", {"RoleArn": ROLE, "RoleSessionName": "pod-1",
                                                      "WebIdentityToken": "eyJ.web+identity/token=="}))
    for path, says in ((folder + "/none", "No such file"), (os.devnull, "empty")):
        r = listed(files(fake, "", AWS_WEB_IDENTITY_TOKEN_FILE=path, AWS_ROLE_ARN=ROLE), None)
        equal(r.status, 3, r)
        contains(r.err, says)
    r = listed(files(fake, "", AWS_WEB_IDENTITY_TOKEN_FILE=folder + "/token"), None)
    equal(r.status, 2, r)
    contains(r.err, "AWS_ROLE_ARN")


@test
def web_identity_of_a_profile_is_the_source_of_a_role():
    fake, folder = aws(), scratch()
    with open(folder + "/token", "w") as f:
        f.write("eyJ.web+identity/token==")
    r = listed(files(fake, "[profile r]\nrole_arn = %s\nsource_profile = web\nexternal_id = x:1/2+3=4@5\n[profile web]\n"
                     "role_arn = %s\nweb_identity_token_file = %s/token\n" % (OTHER, ROLE, folder)))
    equal(r.status, 0, r)
    equal(fake.actions()[:2], ["AssumeRoleWithWebIdentity", "AssumeRole"])


@test
def sts_has_an_endpoint_of_its_own():
    fake, other = aws(), aws()
    r = listed(files(fake, "[profile r]\nrole_arn = %s\nsource_profile = base\n" % ROLE, AWS_ENDPOINT_URL_STS=other.url))
    equal(other.actions(), ["AssumeRole"])
    equal(r.status, 3)                      # fake does not know what other gave
    contains(r.err, "AuthFailure")


@test
def what_is_wrong_with_a_role_is_one_line():
    for config, status, says in (
            ("role_arn = %s\nsource_profile = r" % ROLE, 2, "in a circle: r -> r"),
            ("role_arn = %s\nsource_profile = b\n[profile b]\nrole_arn = %s\nsource_profile = r" % (ROLE, ROLE), 2,
             "in a circle: r -> b -> r"),
            ("role_arn = %s\nsource_profile = nobody" % ROLE, 2, '"nobody" is in neither'),
            ("role_arn = %s" % ROLE, 2, "source_profile or credential_source"),
            ("role_arn = %s\nsource_profile = base\ncredential_source = Environment" % ROLE, 2, "only one of"),
            ("role_arn = %s\ncredential_source = Vault" % ROLE, 2, "Environment, Ec2InstanceMetadata or EcsContainer"),
            ("role_arn = %s\nsource_profile = base\nduration_seconds = 1h" % ROLE, 2, "900 to 43200"),
            ("role_arn = %s\nsource_profile = empty\n[profile empty]\nregion = eu-west-1" % ROLE, 3, "has no credentials"),
            ("role_arn = %s\nsource_profile = base\nmfa_serial = arn:aws:iam::1:mfa/me" % ROLE, 3,
             "aws configure export-credentials --profile r"),
            ("sso_session = s\nsso_account_id = 1\nsso_role_name = x", 3, "aws sso login --profile r"),
            ("role_arn = %s\nsource_profile = s\n[profile s]\nsso_account_id = 1" % ROLE, 3, "aws sso login --profile s"),
            ("role_arn = %s\nsource_profile = base" % OTHER, 3, "sts:AssumeRole on resource: " + OTHER),
            ("role_arn = short\nsource_profile = base", 3, "ValidationError")):
        fake = aws()
        r = listed(files(fake, "[profile r]\n%s\n" % config))
        equal(r.status, status, r)
        contains(r.json["error"]["message"], says)
        equal(len(r.err.splitlines()), 1, r)
        assert SECRET not in r.out + r.err
        fake.close()


@test
def sts_that_throttles_is_asked_again():
    fake = aws()
    fake.fault("AssumeRole", "throttle")
    equal(listed(files(fake, "[profile r]\nrole_arn = %s\nsource_profile = base\n" % ROLE)).status, 0)
    equal(fake.actions().count("AssumeRole"), 2)


@test
def an_identity_provider_that_sts_did_not_reach_is_asked_again():
    fake, folder = aws(), scratch()
    fake.fault("AssumeRoleWithWebIdentity", "IDPCommunicationError")
    with open(folder + "/token", "w") as f:
        f.write("eyJ.web+identity/token==")
    env = files(fake, "", AWS_WEB_IDENTITY_TOKEN_FILE=folder + "/token", AWS_ROLE_ARN=ROLE)
    equal(listed(env, None).status, 0)
    equal(fake.actions().count("AssumeRoleWithWebIdentity"), 2)


@test
def no_secret_of_a_role_is_in_what_is_printed_or_kept():
    fake = aws()
    env = files(fake, "[profile r]\nrole_arn = %s\nsource_profile = base\n" % ROLE)
    texts = []
    for args in (("list",), ("create", "gp3:10", "--az", "eu-west-1a", "--yes"), ("delete", "vol-00000000000000001", "--dry-run")):
        r = ebscope("volumes", *args, "--profile", "r", env=env)
        equal(r.status, 0, r)
        texts += [r.out, r.err]
    with open(env["XDG_STATE_HOME"] + "/ebscope/volumes.jsonl") as f:
        texts.append(f.read())
    for secret, token in [(SECRET, TOKEN)] + list(fake.sts.given.values()):
        for text in texts:
            assert secret not in text and token not in text, text


main()
