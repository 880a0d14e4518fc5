import type { RequestHandler } from 'express';

/** Keeps the text that others read from the stream, in `req.text`. */
export const keepText: RequestHandler = (req, _res, next) => {
  let text = '';
  req.on('data', (chunk: Buffer) => Reflect.set(req, 'text', (text += chunk.toString('latin1'))));
  next();
};

/** Reads the stream to its end, and leaves the text only in `req.text`. */
export const readText: RequestHandler = (req, res, next) => keepText(req, res, () => req.on('end', next));
