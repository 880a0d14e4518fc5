import { type Debugger, Session } from 'node:inspector';
import { findSourceMap } from 'node:module';
import { relative } from 'node:path';
import { fileURLToPath } from 'node:url';

/** Finds where a function was written: its package, or its file and line. */
export function makePlaceOf(): (fn: unknown) => string {
  const session = new Session();
  const urls = new Map<string, string>();
  session.connect();
  session.on('Debugger.scriptParsed', ({ params: { scriptId, url } }) => urls.set(scriptId, url));
  session.post('Debugger.enable');
  return (fn) => {
    Object.assign(globalThis, { askedFunction: fn });
    let place: Debugger.Location | undefined;
    // The inspector of the same thread answers at once.
    session.post('Runtime.evaluate', { expression: 'askedFunction' }, (_, { result: { objectId = '' } }) =>
      session.post('Runtime.getProperties', { objectId, ownProperties: true }, (_, { internalProperties = [] }) => {
        const found = internalProperties.find(({ name }) => name === '[[FunctionLocation]]');
        place = found?.value?.value as Debugger.Location | undefined;
      }),
    );
    return place ? describe(place, urls.get(place.scriptId) ?? '') : '';
  };
}

function describe({ lineNumber, columnNumber = 0 }: Debugger.Location, url: string): string {
  if (url === '') return '';
  const written = findSourceMap(url)?.findEntry(lineNumber, columnNumber);
  const [source, line] =
    written && 'originalLine' in written ? [written.originalSource, written.originalLine] : [url, lineNumber];
  const file = source.startsWith('file:') ? fileURLToPath(source) : source;
  const inPackage = /.*node_modules\/((?:@[^/]+\/)?[^/]+)/.exec(file.replaceAll('\\', '/'))?.[1];
  return inPackage ?? `${relative('', file)}:${line + 1}`;
}
