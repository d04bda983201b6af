/*
 * The part of an OpenAPI 2 document that the API's own description uses. Source: the OpenAPI specification, version 2.0.
 */

export type OpenapiType = 'string' | 'boolean' | 'integer' | 'number' | 'array' | 'object'

export interface OpenapiSchema {
  readonly type?: OpenapiType
  readonly format?: string
  readonly description?: string
  readonly default?: unknown
  readonly enum?: readonly string[]
  readonly maxLength?: number
  readonly items?: OpenapiSchema
  readonly properties?: Readonly<Record<string, OpenapiSchema>>
  readonly required?: readonly string[]
  readonly $ref?: string
}

export interface OpenapiParameter {
  readonly name: string
  readonly in: 'query' | 'header' | 'body'
  readonly required: boolean
  readonly description?: string
  readonly type?: OpenapiType
  readonly format?: string
  readonly enum?: readonly string[]
  readonly default?: string
  readonly items?: OpenapiSchema
  readonly collectionFormat?: 'multi'
  readonly schema?: OpenapiSchema
}

export interface Reference {
  readonly $ref: string
}

export interface OpenapiOperation {
  readonly tags: readonly string[]
  readonly summary?: string
  readonly description?: string
  readonly produces?: readonly string[]
  readonly parameters?: readonly (OpenapiParameter | Reference)[]
  readonly responses: Readonly<Record<string, { readonly description: string; readonly schema?: OpenapiSchema }>>
}

export type OpenapiPath = Readonly<Partial<Record<'get' | 'post' | 'patch' | 'delete', OpenapiOperation>>>

/** Creates a reference such as `#/definitions/name`, escaped for a JSON pointer in a URL. */
export function reference(section: 'definitions' | 'parameters', name: string): Reference {
  const pointer = name.replaceAll('~', '~0').replaceAll('/', '~1')
  return { $ref: `#/${section}/${encodeURIComponent(pointer)}` }
}

/** Splits a comment: the first line is the summary, the rest the description. */
export function splitComment(comment: string | undefined): {
  readonly summary?: string
  readonly description?: string
} {
  if (comment === undefined) return {}
  const end = comment.indexOf('\n')
  if (end < 0) return { summary: comment }
  const description = comment.slice(end).replace(/^\n+/, '')
  return { summary: comment.slice(0, end), ...(description === '' ? {} : { description }) }
}
