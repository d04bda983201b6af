import { createHash } from 'node:crypto'
import type { FastifyPluginAsync, FastifyRequest } from 'fastify'
import { type Clock, HoldfastError, type Logger, Semaphore } from '@holdfast/foundation'
import { networkOf } from '@holdfast/http'
import { type Connections, type Pool, runAs, sql } from '@holdfast/postgres'
import { answerRefusals, fieldsOf } from '../app-routes.ts'
import { createVisitorLimit, tooManyRequests } from '../visitors.ts'
import { fileRoutes } from './files/file-routes.ts'
import { type FileQuestion, parseOfferedFiles, UUID } from './files/offered-files.ts'
import type { KnownFile, VisitorFiles } from './files/visitor-files.ts'
import type { FormCaptcha } from './form-captcha.ts'

/** Limits of a submission in bytes, and of one text in characters. */
const SUBMISSION_BYTES_MAX = 65_536
const TEXT_CHARS_MAX = 10_000
/** The names of files in one field, in characters, as in `holdfast.file_names`. */
const NAMES_CHARS_MAX = 4_000

/** Concurrent requests of all visitors and of one; the next ones wait, further ones are refused. */
const AT_ONCE_MAX = 2
const AT_ONCE_PER_VISITOR_MAX = 1
const WAITING_MAX = 50

/** Requests of one network in a minute. */
const REQUESTS_MAX = 120

const SLUG = /^[\w-]{22}$/

export interface FormRoutesOptions {
  /** Connected as the project. */
  readonly pool: Pool
  /** Connections for statements of users. */
  readonly requests: Connections
  /** Asked by the forms whose definition says so. */
  readonly captcha: FormCaptcha
  /** `undefined` if the server stores no files. */
  readonly files: VisitorFiles | undefined
  readonly logger: Logger
  readonly clock: Clock
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
    /** Whether a captcha comes before an answer. */
    readonly captcha?: unknown
    readonly questions: readonly FileQuestion[]
  }
}

type Values = Readonly<Record<string, string | number | boolean | null>>

/**
 * `GET /app/v1/forms/<slug>`: a public form as visitors see it: `{title, intro, thanks, workspace, isOpen, captcha, questions}`.
 *
 * `GET /app/v1/forms/<slug>/puzzle?id=<uuid>`: the puzzle for one answer, where `captcha` is `work`.
 *
 * `POST /app/v1/forms/<slug>/files` with `{id, files: [{id, field, name, type, size}], captcha?}`: announces the files of an answer. Answers `{offsets}`, by file
 * how many bytes have arrived; {@link fileRoutes} takes the others.
 *
 * `POST /app/v1/forms/<slug>` with `{id, values, captcha?}`: adds a record with this id, as the role anon under the form's own policy. Answers 201 `{id}`; a
 * repeated request adds nothing and gets the same answer.
 *
 * Refusals are `{code, message}`: 400 `invalid_request`, `captcha_failed`, 404 `form_not_found`, `no_puzzle`, `file_not_found`, 409 `files_incomplete`,
 * `answer_sent`, 410 `form_closed`, 422 `value_refused`, `file_refused`, 429 `busy`, `too_many_submissions`, `too_many_files`, 503 `captcha_unavailable`, 507
 * `no_space`.
 */
export function formRoutes(options: FormRoutesOptions): FastifyPluginAsync {
  const { pool, requests, captcha, files } = options
  const permits = new Semaphore({
    permits: AT_ONCE_MAX,
    perKeyMax: AT_ONCE_PER_VISITOR_MAX,
    waitingMax: WAITING_MAX,
    refuse: () => tooManyRequests(2),
  })
  const limit = createVisitorLimit(REQUESTS_MAX, options.clock)
  const read = ({ ip, params }: SlugRequest): Promise<PublicForm> => {
    limit(networkOf(ip))
    return permits.run({ key: networkOf(ip) }, () => readForm(pool, params.slug))
  }
  /** Requires the captcha of an answer, once: who has announced its files has passed it. A provider may take long, so no connection is held. */
  const check = async ({ ip, body }: FastifyRequest, form: PublicForm, id: string): Promise<readonly KnownFile[]> => {
    const known = (await files?.find(form.id, id)) ?? []
    if (isChecked(form.definition) && known.length === 0) {
      const { captcha: proof } = (body ?? {}) as { readonly captcha?: unknown }
      await captcha.require({ form: form.id, submission: id, address: ip }, proof)
    }
    return known
  }
  return async (app) => {
    answerRefusals(app, options.logger, 'the form was not sent')
    if (files) await app.register(fileRoutes(files, options.clock))
    app.get<Slug>('/app/v1/forms/:slug', async (request, reply) => {
      const { workspace, is_open: isOpen, definition } = await read(request)
      const { title, intro = '', thanks = '' } = definition
      const questions = isOpen ? definition.questions.filter(({ kind }) => files || kind !== 'files') : []
      const kind = isChecked(definition) ? captcha.kind : null
      const shown = { title, intro, thanks, workspace, isOpen, captcha: kind, questions }
      return await reply.header('cache-control', 'no-store').send(shown)
    })
    app.get<Slug & { Querystring: { id?: string } }>('/app/v1/forms/:slug/puzzle', async (request, reply) => {
      const form = await read(request)
      const { id } = request.query
      if (typeof id !== 'string' || !UUID.test(id)) throw new HoldfastError('invalid_request', 400, 'Send an id.')
      if (!form.is_open) throw closed()
      const puzzle = await captcha.createPuzzle({ form: form.id, submission: id, address: request.ip })
      return await reply.header('cache-control', 'no-store').send(puzzle)
    })
    app.post<Slug>('/app/v1/forms/:slug/files', { bodyLimit: SUBMISSION_BYTES_MAX }, async (request, reply) => {
      const form = await read(request)
      if (!form.is_open || !files) throw closed()
      const { id, files: offered } = fieldsOf(request)
      if (typeof id !== 'string' || !UUID.test(id)) throw new HoldfastError('invalid_request', 400, 'Send an id.')
      const parsed = parseOfferedFiles(offered, form.definition.questions)
      await check(request, form, id)
      const begin = () => files.begin(form.id, id, sourceOf(form, request.ip), parsed)
      const offsets = await permits.run({ key: networkOf(request.ip) }, begin)
      return await reply.header('cache-control', 'no-store').send({ offsets })
    })
    app.post<Slug>('/app/v1/forms/:slug', { bodyLimit: SUBMISSION_BYTES_MAX }, async (request, reply) => {
      const form = await read(request)
      if (!form.is_open) throw closed()
      const { id, values } = parseSubmission(request, form)
      const known = await check(request, form, id)
      await files?.requireComplete(known)
      const submission = { id, values: { ...values, ...namesOf(known) }, source: sourceOf(form, request.ip) }
      await permits.run({ key: networkOf(request.ip) }, () => submit(requests, form, submission))
      if (known.length > 0) files?.wake()
      return await reply.code(201).header('cache-control', 'no-store').send({ id })
    })
  }
}

interface Slug {
  readonly Params: { readonly slug: string }
}
type SlugRequest = FastifyRequest<{ Params: { slug: string } }>

/** Values of the fields that have files, as the database will keep them; a field that is required needs one. */
function namesOf(files: readonly KnownFile[]): Values {
  const names: Record<string, string> = {}
  for (const { field, name } of files) names[field] = field in names ? `${names[field]}, ${name}` : name
  return Object.fromEntries(Object.entries(names).map(([field, text]) => [field, text.slice(0, NAMES_CHARS_MAX)]))
}

function isChecked(definition: PublicForm['definition']): boolean {
  return definition.captcha === true
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
  const asked = new Set(definition.questions.flatMap(({ field, kind }) => (kind === 'files' ? [] : [field])))
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

/** A hash of form and network, for limits: addresses of visitors are not stored. */
function sourceOf({ id }: PublicForm, address: string): Buffer {
  return createHash('sha256')
    .update(`${id} ${networkOf(address)}`)
    .digest()
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
        select ${sql.join(columns, ', ')} from jsonb_populate_record(null::${table}, holdfast.carried_answers(${row}::jsonb))`)
      await tx.query(sql`select holdfast.add_form_files(${id})`)
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
  // Of class 54: an index takes no text of this length.
  if (!/^(?:22|23|54|P0001)/.test(code)) return error
  const at = column === undefined ? '' : `, in ${column}`
  return new HoldfastError('value_refused', 422, `A value was not accepted${at}: ${message ?? ''}`)
}

function notFound(): HoldfastError {
  return new HoldfastError('form_not_found', 404, 'There is no such form.')
}

function closed(): HoldfastError {
  return new HoldfastError('form_closed', 410, 'This form takes no more answers.')
}
