import { Session } from 'node:inspector';
import { relative } from 'node:path';
import { fileURLToPath } from 'node:url';

interface Answer {
  readonly result?: { readonly objectId: string };
  readonly internalProperties?: readonly { readonly name: string; readonly value?: { readonly value?: Location } }[];
}
interface Location {
  readonly scriptId: string;
  readonly lineNumber: number;
}

/** Returns a function that says where a function was written: the name of its package, or its file and line. */
export function makePlaceOf(): (fn: unknown) => string {
  const session = new Session();
  const urls = new Map<string, string>();
  session.connect();
  session.on('Debugger.scriptParsed', ({ params: { scriptId, url } }) => urls.set(scriptId, url));
  session.post('Debugger.enable');
  const ask = (method: string, params: object): Answer => {
    let answer: Answer = {};
    session.post(method, params, (_, given) => (answer = given as Answer));
    return answer;
  };
  return (fn) => {
    Object.assign(globalThis, { askedFunction: fn });
    const { result } = ask('Runtime.evaluate', { expression: 'askedFunction' });
    const { internalProperties = [] } = ask('Runtime.getProperties', {
      objectId: result?.objectId,
      ownProperties: true,
    });
    const place = internalProperties.find(({ name }) => name === '[[FunctionLocation]]')?.value?.value;
    const url = urls.get(place?.scriptId ?? '') ?? '';
    const file = url.startsWith('file:') ? fileURLToPath(url) : url;
    const inPackage = /.*node_modules\/((?:@[^/]+\/)?[^/]+)/.exec(file.replaceAll('\\', '/'))?.[1];
    return inPackage ?? (place && file ? `${relative('', file)}:${place.lineNumber + 1}` : '');
  };
}
