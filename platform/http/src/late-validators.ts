import { fastify, type FastifySchemaCompiler, type FastifyServerOptions } from 'fastify'

type Factory = NonNullable<NonNullable<FastifyServerOptions['schemaController']>['compilersFactory']>
type Compile = FastifySchemaCompiler<unknown>
type Validate = ReturnType<Compile>

/**
 * Compiles the schema of a part of a request when the first such request comes: all of them at start would delay it, and most routes are never used. The compiler is
 * Fastify's own with its defaults, and is loaded then as well.
 */
function compileLate(route: Parameters<Compile>[0]) {
  let validate: Validate | undefined
  return (input: unknown): true | { readonly error: unknown } | Promise<true> =>
    validate ? judge(validate, input) : judgeFirst(async () => (validate ??= (await loadCompiler())(route)), input)
}

/** For Fastify's `schemaController`. Its types are those of its own compilers, which take less than it gives. */
export const LATE_VALIDATORS = {
  buildValidator: () => compileLate,
  buildSerializer: () => () => {
    throw new Error('A route declares what it takes, and not what it answers: answers are printed as JSON prints them.')
  },
} as unknown as Factory

/** With the reasons in the result: the function is shared by all requests that are under way. */
function judge(validate: Validate, input: unknown): true | { readonly error: unknown } {
  return validate(input) === true || { error: validate.errors }
}

/** Fastify takes what a promise is rejected with for the reasons. */
async function judgeFirst(compile: () => Promise<Validate>, input: unknown): Promise<true> {
  let validate: Validate
  try {
    validate = await compile()
  } catch (error) {
    throw Object.assign(new Error('The schema of the route cannot be compiled', { cause: error }), { statusCode: 500 })
  }
  const judged = judge(validate, input)
  if (judged !== true) throw judged.error
  return true
}

let loading: Promise<Compile> | undefined

function loadCompiler(): Promise<Compile> {
  loading ??= takeCompiler()
  return loading
}

/** Fastify loads its compiler for the first route with a schema, and has it from then on. */
async function takeCompiler(): Promise<Compile> {
  const app = fastify()
  app.get('/', { schema: { querystring: { type: 'object' } } }, () => '')
  await app.ready()
  const { validatorCompiler } = app
  if (!validatorCompiler) throw new Error('Fastify has a route with a schema, and no compiler for it')
  return validatorCompiler
}
