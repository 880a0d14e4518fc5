# Needs Python 3.9 or later on Linux or macOS. The token is in a file, which only your user can read. The lock makes all workers
# wait for one login.
import fcntl
import json
import os
import sys
import urllib.error
import urllib.request

class MerchantApiError(Exception):
    def __init__(self, status, answer, headers):
        self.status = status
        self.answer = answer
        # API Gateway of AWS renames the header.
        challenge = headers.get("WWW-Authenticate") or headers.get("x-amzn-Remapped-WWW-Authenticate") or ""
        self.has_challenge = challenge.lower().startswith("bearer")
        self.error = answer.get("error")
        self.retry_after = headers.get("Retry-After")
        self.request_id = headers.get("X-Request-Id")
        text = f"{self.error}: {answer.get('description')}"
        super().__init__(f"{status} {text} (X-Request-Id: {self.request_id})")

class NoRedirects(urllib.request.HTTPRedirectHandler):
    """Follows no redirect, because it could send the token to another server."""

    def redirect_request(self, *_):
        return None

class MerchantApi:
    def __init__(self, base_url, email, password, token_file):
        self.base_url = base_url
        self.email = email
        self.password = password
        self.token_file = token_file
        self.opener = urllib.request.build_opener(NoRedirects)

    def call(self, method, path, body=None):
        """Sends a request with the token. Logs in again if the token is refused, and then repeats the request once."""
        token = self.log_in()["token"]
        try:
            return self._send(method, path, body, token)
        except MerchantApiError as error:
            refused = ("missing_token", "invalid_token", "expired_token", "revoked_token")
            is_refusal = error.has_challenge and error.answer.get("success") is False
            if error.status != 401 or not is_refusal or error.error not in refused:
                raise
        return self._send(method, path, body, self.log_in(refused=token)["token"])

    def log_in(self, refused=None):
        """Returns the login in the file. Sends a login if there is none for this account, or if its token was refused."""
        account = f"{self.base_url} {self.email}"
        with open(os.open(self.token_file, os.O_RDWR | os.O_CREAT, 0o600), "r+") as file:
            fcntl.flock(file, fcntl.LOCK_EX)  # The end of `with` also ends the lock.
            try:
                kept = json.load(file)
            except ValueError:
                kept = {}
            if kept.get("account") == account and kept["token"] != refused:
                return kept
            answer = self._send("POST", "/login", {"email": self.email, "password": self.password})
            kept = {
                "account": account,
                "token": answer["authorisation"]["token"],
                "referencl": answer["marchand"]["referencl"],
            }
            file.seek(0)
            file.truncate()
            json.dump(kept, file)
            return kept

    def _send(self, method, path, body, token=None):
        headers = {"Content-Type": "application/json"}
        if token is not None:
            headers["Authorization"] = f"Bearer {token}"
        data = None if body is None else json.dumps(body).encode()
        request = urllib.request.Request(self.base_url + path, data, headers, method=method)
        try:
            response = self.opener.open(request, timeout=30)
        except urllib.error.HTTPError as error:
            response = error
        with response:
            text = response.read()
        try:
            answer = json.loads(text)
        except ValueError:
            answer = None
        if response.status < 300 and isinstance(answer, dict):
            return answer
        raise MerchantApiError(response.status, answer if isinstance(answer, dict) else {}, response.headers)

if len(sys.argv) != 2:
    sys.exit("Usage: python3 pay.py ORDER")

try:
    environment = ("API_URL", "API_EMAIL", "API_PASSWORD", "TOKEN_FILE")
    settings = [os.environ.get(name) or sys.exit(f"Set the variable {name}.") for name in environment]
    api = MerchantApi(*settings)
    referencl = api.log_in()["referencl"]
    print(f"1. Logged in: refercence_cl is {referencl}")

    payment = {
        "refercence_cl": referencl,
        "merchant_transaction_id": sys.argv[1],
        "amount": 5000,
        "currency": "XOF",
    }
    created = api.call("POST", "/transactions", payment)
    print(f"2. Created: {created['code']} {created['status']}")

    repeated = api.call("POST", "/transactions", payment)
    print(f"3. Repeated: {repeated['code']} {repeated['status']}")

    read = api.call("GET", f"/transactions/{created['transaction']['id']}")
    print(f"4. Read: {read['code']} {read['status']}")
except (MerchantApiError, OSError) as error:
    sys.exit(str(error))
