<?php
// Needs PHP 8.1 or later with the extension curl. PHP forgets everything after each request, so the token is in a file, which
// only your user can read. Put it outside of the web root. The lock makes all workers wait for one login. If your workers are
// on several machines, give each machine its own file.

final class MerchantApiError extends RuntimeException
{
    public function __construct(
        public readonly int $status,
        public readonly array $answer,
        public readonly ?int $retryAfter,
        public readonly ?string $requestId,
        public readonly bool $hasChallenge,
    ) {
        $text = ($answer['error'] ?? '') . ': ' . ($answer['description'] ?? '');
        parent::__construct("$status $text (X-Request-Id: $requestId)");
    }
}

final class MerchantApi
{
    private const REFUSED_TOKEN = ['missing_token', 'invalid_token', 'expired_token', 'revoked_token'];

    public function __construct(
        private readonly string $baseUrl,
        private readonly string $email,
        #[SensitiveParameter] private readonly string $password,
        private readonly string $tokenFile,
    ) {
    }

    /** Sends a request with the token. Logs in again if the token is refused, and then repeats the request once. */
    public function call(string $method, string $path, ?array $body = null): array
    {
        $token = $this->logIn()['token'];
        try {
            return $this->send($method, $path, $body, $token);
        } catch (MerchantApiError $error) {
            $isRefusal = $error->hasChallenge && ($error->answer['success'] ?? null) === false;
            $code = $error->answer['error'] ?? null;
            if ($error->status !== 401 || !$isRefusal || !in_array($code, self::REFUSED_TOKEN, true)) {
                throw $error;
            }
        }
        return $this->send($method, $path, $body, $this->logIn($token)['token']);
    }

    /** Returns the login in the file. Sends a login if there is none for this account, or if its token was refused. */
    public function logIn(#[SensitiveParameter] ?string $refused = null): array
    {
        $umask = umask(0077); // Only your user can read the file.
        $file = fopen($this->tokenFile, 'c+') ?: throw new RuntimeException('The token file cannot be opened.');
        umask($umask);
        try {
            flock($file, LOCK_EX);
            $account = "$this->baseUrl $this->email";
            $kept = json_decode(stream_get_contents($file), true);
            if (($kept['account'] ?? null) === $account && $kept['token'] !== $refused) {
                return $kept;
            }
            $answer = $this->send('POST', '/login', ['email' => $this->email, 'password' => $this->password]);
            $kept = [
                'account' => $account,
                'token' => $answer['authorisation']['token'],
                'referencl' => $answer['marchand']['referencl'],
            ];
            ftruncate($file, 0);
            rewind($file);
            fwrite($file, json_encode($kept, JSON_THROW_ON_ERROR));
            return $kept;
        } finally {
            fclose($file); // This also ends the lock.
        }
    }

    private function send(
        string $method,
        string $path,
        #[SensitiveParameter] ?array $body,
        #[SensitiveParameter] ?string $token = null,
    ): array {
        $headers = ['Content-Type: application/json'];
        if ($token !== null) {
            $headers[] = "Authorization: Bearer $token";
        }
        $retryAfter = $requestId = null;
        $hasChallenge = false;
        $curl = curl_init($this->baseUrl . $path);
        curl_setopt_array($curl, [
            CURLOPT_CUSTOMREQUEST => $method,
            CURLOPT_HTTPHEADER => $headers,
            CURLOPT_RETURNTRANSFER => true,
            CURLOPT_TIMEOUT => 30,
            CURLOPT_HEADERFUNCTION => function ($curl, string $line) use (&$retryAfter, &$requestId, &$hasChallenge): int {
                if (preg_match('/^Retry-After: (\d+)/i', $line, $match)) {
                    $retryAfter = (int) $match[1];
                } elseif (preg_match('/^X-Request-Id: (\S+)/i', $line, $match)) {
                    $requestId = $match[1];
                } elseif (preg_match('/^(?:x-amzn-remapped-)?www-authenticate: *bearer/i', $line)) {
                    $hasChallenge = true; // API Gateway of AWS renames the header.
                }
                return strlen($line);
            },
        ]);
        if ($body !== null) {
            curl_setopt($curl, CURLOPT_POSTFIELDS, json_encode($body, JSON_THROW_ON_ERROR));
        }
        $text = curl_exec($curl);
        if ($text === false) {
            throw new RuntimeException('No answer: ' . curl_error($curl));
        }
        $status = curl_getinfo($curl, CURLINFO_RESPONSE_CODE);
        $answer = json_decode($text, true);
        if ($status >= 200 && $status < 300 && is_array($answer)) {
            return $answer;
        }
        $answer = is_array($answer) ? $answer : [];
        throw new MerchantApiError($status, $answer, $retryAfter, $requestId, $hasChallenge);
    }
}

if ($argc !== 2) {
    fwrite(STDERR, "Usage: php pay.php ORDER\n");
    exit(1);
}

try {
    $env = fn (string $name) => getenv($name) ?: throw new RuntimeException("Set the variable $name.");
    $api = new MerchantApi($env('API_URL'), $env('API_EMAIL'), $env('API_PASSWORD'), $env('TOKEN_FILE'));
    $referencl = $api->logIn()['referencl'];
    echo "1. Logged in: refercence_cl is $referencl\n";

    $payment = [
        'refercence_cl' => $referencl,
        'merchant_transaction_id' => $argv[1],
        'amount' => 5000,
        'currency' => 'XOF',
    ];
    $created = $api->call('POST', '/transactions', $payment);
    echo "2. Created: {$created['code']} {$created['status']}\n";

    $repeated = $api->call('POST', '/transactions', $payment);
    echo "3. Repeated: {$repeated['code']} {$repeated['status']}\n";

    $read = $api->call('GET', "/transactions/{$created['transaction']['id']}");
    echo "4. Read: {$read['code']} {$read['status']}\n";
} catch (RuntimeException $error) {
    fwrite(STDERR, $error->getMessage() . "\n");
    exit(1);
}
