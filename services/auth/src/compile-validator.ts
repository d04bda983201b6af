import type { FastifySchemaCompiler } from 'fastify'
import type { TSchema } from 'typebox'
import { Compile } from 'typebox/compile'
import { Value } from 'typebox/value'

/**
 * Compiles a schema of a route for Fastify when the first request comes to it: all of them at start would delay it, and most routes are never used.
 * Texts from addresses and headers are converted to the schema's types; bodies are taken as they are.
 */
export const compileValidator: FastifySchemaCompiler<TSchema> = ({ schema, httpPart }) => {
  let compiled: ReturnType<typeof Compile<TSchema>> | undefined
  return (input: unknown) => {
    compiled ??= Compile(schema)
    const value = httpPart === 'body' ? input : Value.Convert(schema, input)
    return compiled.Check(value) ? { value } : { error: compiled.Errors(value) }
  }
}
