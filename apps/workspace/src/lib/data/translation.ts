import * as v from 'valibot'
import { pageLanguage } from '../language.ts'

/** What a text of JSON says, or `undefined` where it is not of that form: looks that cannot be read count as not given. */
export function parsedAs<Schema extends v.GenericSchema>(
  text: string,
  schema: Schema,
): v.InferOutput<Schema> | undefined {
  try {
    const parsed = v.safeParse(schema, JSON.parse(text))
    return parsed.success ? parsed.output : undefined
  } catch {
    return undefined // no JSON at all
  }
}

/** The words in the page's language, of `{"de": {…}}`. */
export function translationIn<Schema extends v.GenericSchema>(
  text: string,
  schema: Schema,
): v.InferOutput<Schema> | undefined {
  return parsedAs(text, v.record(v.string(), schema))?.[pageLanguage()]
}
