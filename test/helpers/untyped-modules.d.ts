declare module 'express4' {
  export { default } from 'express';
}

declare module 'express-fileupload' {
  import type { RequestHandler } from 'express';

  export default function fileUpload(options?: { readonly parseNested?: boolean }): RequestHandler;
}

declare module 'express-formidable' {
  import type { RequestHandler } from 'express';

  /** It leaves the fields in `req.fields` and the files in `req.files`. */
  export default function formidable(): RequestHandler;
}

declare module 'formidable' {
  import type { IncomingMessage } from 'node:http';

  type Fields = Readonly<Record<string, readonly [string]>>;
  interface Form {
    parse(req: IncomingMessage, callback: (error: unknown, fields: Fields) => void): void;
  }

  export function formidable(): Form;
}

declare module 'graphql-upload/graphqlUploadExpress.mjs' {
  import type { RequestHandler } from 'express';

  /** It leaves the GraphQL operations in `req.body`. */
  export default function graphqlUploadExpress(): RequestHandler;
}
