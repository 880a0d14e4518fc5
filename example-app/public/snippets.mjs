// One request as a short program in each language. A request with `guarded` has the header Authorization, and without
// `token` it takes the token from the environment. A request with `body` is a POST, and any other is a GET.

const join = (...lines) => lines.filter((line) => line !== undefined && line !== false).join('\n');
const json = (value, indent, step = 2) => JSON.stringify(value, null, step).replaceAll('\n', `\n${indent}`);

function toCurl({ url, guarded, token = '$TOKEN', body }) {
  const quoted = body && json(body, '').replace(/\n */g, ' ').replaceAll("'", `'\\''`);
  const options = [
    guarded && `-H "Authorization: Bearer ${token}"`,
    body && `-H 'Content-Type: application/json'`,
    body && `-d '${quoted}'`,
  ];
  return [`curl -i ${url}`, ...options.filter(Boolean)].join(' \\\n  ');
}

function toNode({ url, guarded, token, body }) {
  const headers = [body && "'Content-Type': 'application/json'", guarded && 'Authorization: `Bearer ${token}`'];
  return join(
    guarded && `const token = ${token ? `'${token}'` : 'process.env.TOKEN'};`,
    `const answer = await fetch('${url}', {`,
    body && `  method: 'POST',`,
    `  headers: { ${headers.filter(Boolean).join(', ')} },`,
    body && `  body: JSON.stringify(${json(body, '  ')}),`,
    '});',
    'console.log(answer.status, await answer.json());',
  );
}

function toPhp({ url, guarded, token, body }) {
  const headers = [body && "'Content-Type: application/json'", guarded && '"Authorization: Bearer $token"'];
  const literal = (value) => (typeof value === 'string' ? `'${value.replace(/[\\']/g, '\\$&')}'` : value);
  return join(
    '<?php',
    guarded && `$token = ${token ? `'${token}'` : "getenv('TOKEN')"};`,
    `$curl = curl_init('${url}');`,
    'curl_setopt_array($curl, [',
    '    CURLOPT_RETURNTRANSFER => true,',
    `    CURLOPT_HTTPHEADER => [${headers.filter(Boolean).join(', ')}],`,
    body && '    CURLOPT_POSTFIELDS => json_encode([',
    ...Object.entries(body ?? {}).map(([name, value]) => `        '${name}' => ${literal(value)},`),
    body && '    ]),',
    ']);',
    'echo curl_exec($curl), PHP_EOL;',
  );
}

function toPython({ url, guarded, token, body }) {
  const headers = [body && '"Content-Type": "application/json"', guarded && '"Authorization": f"Bearer {token}"'];
  const modules = [body && 'json', guarded && !token && 'os', 'urllib.request'];
  return join(
    `import ${modules.filter(Boolean).join(', ')}`,
    '',
    guarded && `token = ${token ? `"${token}"` : 'os.environ["TOKEN"]'}`,
    'request = urllib.request.Request(',
    `    "${url}",`,
    body && `    data=json.dumps(${json(body, '    ', 4)}).encode(),`,
    `    headers={${headers.filter(Boolean).join(`,\n${' '.repeat(13)}`)}},`,
    ')',
    'with urllib.request.urlopen(request) as answer:',
    '    print(answer.status, answer.read().decode())',
  );
}

export const languages = { curl: toCurl, 'Node.js': toNode, PHP: toPhp, Python: toPython };
