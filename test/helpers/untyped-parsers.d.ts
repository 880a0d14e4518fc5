declare module 'express-fileupload' {
  import type { RequestHandler } from 'express';

  export default function fileUpload(options?: { readonly parseNested?: boolean }): RequestHandler;
}

declare module 'express-formidable' {
  import type { RequestHandler } from 'express';

  /** It leaves the fields in `req.fields` and the files in `req.files`. */
  export default function formidable(): RequestHandler;
}
