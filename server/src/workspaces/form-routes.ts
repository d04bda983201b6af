import { createHash } from 'node:crypto'
import { isIPv6 } from 'node:net'
import type { FastifyPluginAsync, FastifyRequest } from 'fastify'
import { HoldfastError, type Logger, Semaphore } from '@holdfast/foundation'
import { type Connections, type Pool, runAs, sql } from '@holdfast/postgres'
import { answerRefusals, fieldsOf } from './app-routes.ts'

/** Limits of a submission in bytes, and of one text in characters. */
const SUBMISSION_BYTES_MAX = 65_536
const TEXT_CHARS_MAX = 10_000

/** Concurrent requests of all visitors and of one; the next ones wait, further ones are refused. */
const AT_ONCE_MAX = 2
const AT_ONCE_PER_VISITOR_MAX = 1
const WAITING_MAX = 50

const UUID = /^[0-9a-f]{8}-(?:[0-9a-f]{4}-){3}[0-9a-f]{12}$/
const SLUG = /^[\w-]{22}$/

export interface FormRoutesOptions {
  /** Connected as the project. */
  readonly pool: Pool
  /** Connections for statements of users. */
  readonly requests: Connections
  readonly logger: Logger
}

/** A public form as `holdfast.read_form` returns it. */
interface PublicForm {
  readonly id: string
  readonly table: string
  readonly workspace: string
  readonly is_open: boolean
  readonly definition: {
    readonly title: string
    readonly intro?: string
    readonly thanks?: string
    readonly questions: readonly { readonly field: string }[]
  }
}

type Values = Readonly<Record<string, string | number | boolean | null>>

/**
 * `GET /app/v1/forms/<slug>`: a public form as visitors see it: `{title, intro, thanks, workspace, isOpen, questions}`.
 *
 * `POST /app/v1/forms/<slug>` with `{id, values}`: adds a record with this id, as the role anon under the form's own policy. Answers 201 `{id}`; a repeated request
 * adds nothing and gets the same answer.
 *
 * Refusals are `{code, message}`: 400 `invalid_request`, 404 `form_not_found`, 410 `form_closed`, 422 `value_refused` with `field` where Postgres names one,
 * 429 `busy`, `too_many_submissions`.
 */
export function formRoutes(options: FormRoutesOptions): FastifyPluginAsync {
  const refuse = (): HoldfastError =>
    new HoldfastError('busy', 429, 'The server is busy. Try again in a moment.', { headers: { 'retry-after': '2' } })
  const permits = new Semaphore({
    permits: AT_ONCE_MAX,
    perKeyMax: AT_ONCE_PER_VISITOR_MAX,
    waitingMax: WAITING_MAX,
    refuse,
  })
  return async (app) => {
    answerRefusals(app, options.logger, 'the form was not sent')
    app.get<{ Params: { slug: string } }>('/app/v1/forms/:slug', async (request, reply) => {
      const { slug } = request.params
      const read = (): Promise<PublicForm> => readForm(options.pool, slug)
      const { workspace, is_open: isOpen, definition } = await permits.run({ key: request.ip }, read)
      const { title, intro = '', thanks = '', questions } = definition
      const shown = isOpen ? questions : []
      return await reply
        .header('cache-control', 'no-store')
        .send({ title, intro, thanks, workspace, isOpen, questions: shown })
    })
    app.post<{ Params: { slug: string } }>(
      '/app/v1/forms/:slug',
      { bodyLimit: SUBMISSION_BYTES_MAX },
      async (request, reply) => {
        const id = await permits.run({ key: request.ip }, async () => {
          const form = await readForm(options.pool, request.params.slug)
          if (!form.is_open) throw closed()
          const submission = { ...parseSubmission(request, form), source: sourceOf(form, request.ip) }
          await submit(options.requests, form, submission)
          return submission.id
        })
        return await reply.code(201).header('cache-control', 'no-store').send({ id })
      },
    )
  }
}

async function readForm(pool: Pool, slug: string): Promise<PublicForm> {
  if (!SLUG.test(slug)) throw notFound()
  const [found] = await pool.query<{ form: PublicForm | null }>(sql`select holdfast.read_form(${slug}) as form`)
  if (!found?.form) throw notFound()
  return found.form
}

function parseSubmission(
  request: FastifyRequest,
  { definition }: PublicForm,
): { readonly id: string; readonly values: Values } {
  const { id, values } = fieldsOf(request)
  const asked = new Set(definition.questions.map(({ field }) => field))
  const isValid =
    typeof id === 'string' &&
    UUID.test(id) &&
    typeof values === 'object' &&
    values !== null &&
    Object.entries(values).every(([field, value]) => asked.has(field) && isAnswer(value))
  if (!isValid) throw new HoldfastError('invalid_request', 400, 'Send an id and values for the questions of the form.')
  return { id, values: values as Values }
}

function isAnswer(value: unknown): boolean {
  if (typeof value === 'string') return value.length <= TEXT_CHARS_MAX && !value.includes('\0')
  return value === null || typeof value === 'boolean' || Number.isFinite(value)
}

/** A hash of form and network, for limits: addresses of visitors are not stored. One network of IPv6 has 2^64 addresses. */
function sourceOf({ id }: PublicForm, address: string): Buffer {
  const network = isIPv6(address) ? new URL(`http://[${address}]`).hostname.split(':').slice(0, 4).join(':') : address
  return createHash('sha256').update(`${id} ${network}`).digest()
}

async function submit(
  requests: Connections,
  form: PublicForm,
  { id, values, source }: { readonly id: string; readonly values: Values; readonly source: Buffer },
): Promise<void> {
  const session = { role: 'anon', claims: { role: 'anon', form_id: form.id } }
  try {
    await runAs(requests, session, async (tx) => {
      const [begun] = await tx.query<{ outcome: string }>(
        sql`select holdfast.begin_submission(${id}, ${source}) as outcome`,
      )
      if (begun?.outcome === 'repeated') return
      if (begun?.outcome !== 'begun') throw refusalOf(begun?.outcome)
      const columns = ['id', ...Object.keys(values)].map((name) => sql.identifier(name))
      const table = sql.identifier('public', form.table)
      const row = JSON.stringify({ ...values, id })
      await tx.execute(sql`
        insert into ${table} (${sql.join(columns, ', ')})
        select ${sql.join(columns, ', ')} from jsonb_populate_record(null::${table}, ${row}::jsonb)`)
    })
  } catch (error) {
    throw describeFailure(error)
  }
}

function refusalOf(outcome: string | undefined): HoldfastError {
  if (outcome !== 'too_many') return closed()
  return new HoldfastError('too_many_submissions', 429, 'This form was sent too often. Try again in an hour.', {
    headers: { 'retry-after': '3600' },
  })
}

/** Errors of values are the visitor's to mend; a policy or a right that is gone means that the form was closed meanwhile. */
function describeFailure(error: unknown): unknown {
  const { code, column, message } = error as {
    readonly code?: string
    readonly column?: string
    readonly message?: string
  }
  if (typeof code !== 'string' || error instanceof HoldfastError) return error
  if (code === '42501' || code === '42P01' || code === '42703') return closed()
  if (!/^(?:22|23|P0001)/.test(code)) return error
  const at = column === undefined ? '' : `, in ${column}`
  return new HoldfastError('value_refused', 422, `A value was not accepted${at}: ${message ?? ''}`)
}

function notFound(): HoldfastError {
  return new HoldfastError('form_not_found', 404, 'There is no such form.')
}

function closed(): HoldfastError {
  return new HoldfastError('form_closed', 410, 'This form takes no more answers.')
}
