import { fastify, type FastifySchemaCompiler, type FastifyServerOptions } from 'fastify'

type Factory = NonNullable<NonNullable<FastifyServerOptions['schemaController']>['compilersFactory']>
type Compile = FastifySchemaCompiler<unknown>
type Validate = ReturnType<Compile>

/**
 * Compiles a route's schema on first use, because compiling all would delay startup, and most routes are never used. Uses Fastify's default compiler, also
 * loaded then.
 */
function compileLate(route: Parameters<Compile>[0]) {
  let validate: Validate | undefined
  return (input: unknown): true | { readonly error: unknown } | Promise<true> =>
    validate ? judge(validate, input) : judgeFirst(async () => (validate ??= (await loadCompiler())(route)), input)
}

/** For Fastify's `schemaController`, whose declared types are narrower than what it passes. */
export const LATE_VALIDATORS = {
  buildValidator: () => compileLate,
  buildSerializer: () => () => {
    throw new Error('A route declares what it takes, and not what it answers: answers are printed as JSON prints them.')
  },
} as unknown as Factory

/** Returns the reasons in the result, because the function is shared by concurrent requests. */
function judge(validate: Validate, input: unknown): true | { readonly error: unknown } {
  return validate(input) === true || { error: validate.errors }
}

/** Fastify takes a rejection's reason as validation errors. */
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

/** Captures Fastify's compiler, which it loads for the first route with a schema. */
async function takeCompiler(): Promise<Compile> {
  const app = fastify()
  app.get('/', { schema: { querystring: { type: 'object' } } }, () => '')
  await app.ready()
  const { validatorCompiler } = app
  if (!validatorCompiler) throw new Error('Fastify has a route with a schema, and no compiler for it')
  return validatorCompiler
}
