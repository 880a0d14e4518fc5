import { Session } from 'node:inspector';
import { findSourceMap } from 'node:module';
import { relative } from 'node:path';
import { fileURLToPath } from 'node:url';

interface Answer {
  readonly result?: { readonly objectId: string };
  readonly internalProperties?: readonly { readonly name: string; readonly value?: { readonly value?: Location } }[];
}
interface Location {
  readonly scriptId: string;
  readonly lineNumber: number;
  readonly columnNumber: number;
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
    if (!place || !url) return '';
    const written = findSourceMap(url)?.findEntry(place.lineNumber, place.columnNumber);
    const [source, line] =
      written && 'originalLine' in written ? [written.originalSource, written.originalLine] : [url, place.lineNumber];
    const file = source.startsWith('file:') ? fileURLToPath(source) : source;
    const inPackage = /.*node_modules\/((?:@[^/]+\/)?[^/]+)/.exec(file.replaceAll('\\', '/'))?.[1];
    return inPackage ?? `${relative('', file)}:${line + 1}`;
  };
}
