import { Type } from 'typebox'
import { HoldfastError } from '@holdfast/foundation'
import {
  FUNCTION_METHODS,
  type FunctionCall,
  type FunctionCallOutcome,
  type FunctionList,
  type FunctionLog,
} from '@holdfast/protocol'
import { functionsOff, functionUnknown, invalidRequest } from '../errors.ts'
import {
  FUNCTION_BODY_CHARS_MAX,
  FUNCTION_CALLS_MAX,
  FUNCTION_HEADER_CHARS_MAX,
  FUNCTION_HEADERS_MAX,
  FUNCTION_PATH_CHARS_MAX,
  LOG_LINES,
  LOG_LINES_MAX,
} from '../limits.ts'
import { type Call, route, type Route } from '../routing/route.ts'

/** The edge functions of the project. */
export interface FunctionSources {
  list(): Promise<Omit<FunctionList, 'isOn'>>
  readLog(name: string, query: { readonly after?: string; readonly limit: number }): Promise<FunctionLog>
  /**
   * Calls a function over HTTP as its clients do, with limits of time and size.
   *
   * @returns `undefined` if the caller is a user who does not exist
   */
  call(name: string, call: FunctionCall, signal: AbortSignal): Promise<FunctionCallOutcome | undefined>
}

const CallBody = Type.Object(
  {
    method: Type.Union(FUNCTION_METHODS.map((method) => Type.Literal(method))),
    path: Type.String({ maxLength: FUNCTION_PATH_CHARS_MAX, pattern: '^([/?][!-~]*)?$' }),
    as: Type.Union([
      Type.Object({ kind: Type.Union([Type.Literal('service'), Type.Literal('anon')]) }),
      Type.Object({ kind: Type.Literal('user'), id: Type.String({ maxLength: 255 }) }),
    ]),
    headers: Type.Array(
      Type.Object({
        name: Type.String({ maxLength: 200, pattern: "^[!#$%&'*+.^_`|~0-9A-Za-z-]+$" }),
        // Printable ASCII and Latin-1: other characters would end the header or start another one.
        value: Type.String({ maxLength: FUNCTION_HEADER_CHARS_MAX, pattern: '^[\\t\\x20-\\x7e\\x80-\\xff]*$' }),
      }),
      { maxItems: FUNCTION_HEADERS_MAX },
    ),
    body: Type.Optional(Type.String({ maxLength: FUNCTION_BODY_CHARS_MAX })),
  },
  { additionalProperties: false },
)

/** Edge functions: what is served, how it does, what it prints, and calls. Lines and responses may have personal data, so viewers see neither. */
export function functionRoutes(sources: FunctionSources | undefined): readonly Route[] {
  let calling = 0
  return [
    route('GET /functions', {
      access: 'viewer',
      run: async (): Promise<FunctionList> =>
        sources
          ? { isOn: true, ...(await sources.list()) }
          : { isOn: false, functions: [], secrets: [], loadedAt: null },
    }),
    route('GET /functions/:name/log', {
      access: 'developer',
      query: Type.Object({
        after: Type.Optional(Type.String({ maxLength: 40, pattern: '^[0-9a-f]{8}[.][0-9]+$' })),
        limit: Type.Optional(Type.Integer({ minimum: 1, maximum: LOG_LINES_MAX })),
      }),
      run: async ({ parameters, query: { after, limit = LOG_LINES } }) => {
        const { opened, name } = await find(sources, parameters)
        return opened.readLog(name, { limit, ...(after !== undefined && { after }) })
      },
    }),
    route('POST /functions/:name/call', {
      access: 'developer',
      action: 'call_function',
      body: CallBody,
      run: async ({ parameters, body, request, note }) => {
        const { opened, name } = await find(sources, parameters)
        const sent = auditedCall(body)
        note({ target: `function ${name}`, after: sent })
        if (body.body !== undefined && body.method === 'GET') throw invalidRequest('A GET request has no body.')
        if (calling >= FUNCTION_CALLS_MAX)
          throw new HoldfastError('busy', 429, 'Too many calls are under way. Try again when one has ended.')
        calling += 1
        try {
          const outcome = await opened.call(name, body, request.signal)
          if (!outcome) throw invalidRequest('There is no such user.')
          note({ after: { ...sent, outcome: outcome.kind === 'answered' ? outcome.status : outcome.message } })
          return outcome
        } finally {
          calling -= 1
        }
      },
    }),
  ]
}

/** @throws {HoldfastError} `functions_off`, `function_unknown` */
async function find(
  sources: FunctionSources | undefined,
  { name = '' }: Call['parameters'],
): Promise<{ readonly opened: FunctionSources; readonly name: string }> {
  if (!sources) throw functionsOff()
  const { functions } = await sources.list()
  if (!functions.some((one) => one.name === name)) throw functionUnknown()
  return { opened: sources, name }
}

/** What the audit log keeps of a call. Headers and bodies may hold secrets, so only names and a size are kept. */
function auditedCall({ method, path, as, headers, body }: FunctionCall): object {
  return {
    method,
    path,
    as: as.kind === 'user' ? `user ${as.id}` : as.kind,
    headers: headers.map(({ name }) => name),
    ...(body !== undefined && { bodyBytes: Buffer.byteLength(body) }),
  }
}
