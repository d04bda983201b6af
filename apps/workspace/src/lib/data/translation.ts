import { parseJson } from '@holdfast/protocol'
import * as v from 'valibot'
import { pageLanguage } from '../language.ts'

/** Parses JSON of a schema; `undefined` if invalid, so unreadable looks count as absent. */
export function parsedAs<Schema extends v.GenericSchema>(
  text: string,
  schema: Schema,
): v.InferOutput<Schema> | undefined {
  const parsed = v.safeParse(schema, parseJson(text))
  return parsed.success ? parsed.output : undefined
}

/** Returns the translation for the page's language from `{"de": {…}}`. */
export function translationIn<Schema extends v.GenericSchema>(
  text: string,
  schema: Schema,
): v.InferOutput<Schema> | undefined {
  return parsedAs(text, v.record(v.string(), schema))?.[pageLanguage()]
}
