# Serves the S3 API for tests, with moto, until its standard input ends. Checks the signature and rights of
# each request. Prints its address and the key that may use the bucket "archive", which has object lock.

import json
import sys

import boto3
from moto import settings
from moto.s3.responses import S3Response
from moto.server import ThreadedMotoServer

server = ThreadedMotoServer(ip_address="127.0.0.1", port=0, verbose=False)
server.start()
host, port = server.get_host_and_port()
url = f"http://{host}:{port}"


def client(service):
    return boto3.client(
        service,
        endpoint_url=url,
        region_name="us-east-1",
        aws_access_key_id="setup",
        aws_secret_access_key="setup",
    )


iam = client("iam")
iam.create_user(UserName="gw")
statement = {
    "Effect": "Allow",
    "Action": ["s3:PutObject", "s3:PutObjectRetention", "s3:GetObject", "s3:ListBucket"],
    "Resource": "*",
}
policy = {"Version": "2012-10-17", "Statement": [statement]}
iam.put_user_policy(UserName="gw", PolicyName="archive", PolicyDocument=json.dumps(policy))
key = iam.create_access_key(UserName="gw")["AccessKey"]
s3 = client("s3")
s3.create_bucket(Bucket="archive", ObjectLockEnabledForBucket=True)

settings.INITIAL_NO_AUTH_ACTION_COUNT = 0
given = {"url": url, "accessKey": key["AccessKeyId"], "secretKey": key["SecretAccessKey"]}
print(json.dumps(given), flush=True)

put_object = S3Response.put_object


def put_any_object(response):
    """Puts an object like a store that ignores If-None-Match."""
    get = response.headers.get
    response.headers = type(
        "Headers",
        (),
        {
            "get": lambda _, name, *rest: None if name == "If-None-Match" else get(name, *rest),
            "__getattr__": lambda _, name, own=response.headers: getattr(own, name),
            "__getitem__": lambda _, name, own=response.headers: own[name],
            "__contains__": lambda _, name, own=response.headers: name in own,
            "__iter__": lambda _, own=response.headers: iter(own),
        },
    )()
    return put_object(response)


# "lock <key>" prints the object lock of an object, "change <key>" replaces it. "replace always" ignores
# If-None-Match from then on.
for line in sys.stdin:
    settings.INITIAL_NO_AUTH_ACTION_COUNT = float("inf")
    command, name = line.split()
    if command == "lock":
        held = s3.head_object(Bucket="archive", Key=name)
        until = held.get("ObjectLockRetainUntilDate")
        answer = {
            "mode": held.get("ObjectLockMode"),
            "until": None if until is None else until.isoformat(),
        }
    elif command == "replace":
        S3Response.put_object = put_any_object
        answer = {}
    else:
        s3.put_object(Bucket="archive", Key=name, Body=b"changed")
        answer = {}
    settings.INITIAL_NO_AUTH_ACTION_COUNT = 0
    print(json.dumps(answer), flush=True)
server.stop()
