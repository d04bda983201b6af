import type { FastifySchemaCompiler } from 'fastify'
import type { TSchema } from 'typebox'
import { Compile } from 'typebox/compile'
import { Value } from 'typebox/value'

/**
 * Compiles a route's schema at its first request. Compiling all at startup would delay it, and most routes are never used. Values from URLs and
 * headers are converted to the schema's types; bodies are not.
 */
export const compileValidator: FastifySchemaCompiler<TSchema> = ({ schema, httpPart }) => {
  let compiled: ReturnType<typeof Compile<TSchema>> | undefined
  return (input: unknown) => {
    compiled ??= Compile(schema)
    const value = httpPart === 'body' ? input : Value.Convert(schema, input)
    return compiled.Check(value) ? { value } : { error: compiled.Errors(value) }
  }
}
