import { randomUUID } from 'node:crypto'
import { isDeepStrictEqual } from 'node:util'
import type { Plan } from '../plan/plan.ts'
import type { ApiRequest, RowsPayload } from '../request/api-request.ts'
import type { RawRequest } from '../request/parse-request.ts'
import { prepareWith, renderAll, type Prepare, type Prepared, type Rendered, type Stages } from './stages.ts'

/** Headers that affect parsing and therefore the shape. */
const SHAPING_HEADERS = ['accept', 'accept-profile', 'content-profile', 'content-type', 'prefer', 'range'] as const

/** Longest query string, in characters, of a cached request. */
const SEARCH_CHARACTERS_MAX = 2_048

/** Longest cached shape in characters, including headers and the body's columns. */
const SHAPE_CHARACTERS_MAX = 8_192

/** Limit of shapes seen once. Counting restarts when it is reached. */
const SEEN_MAX = 2_000

/** A comparison with an opaque operand. Operands that the parser interprets are part of the shape. */
const COMPARISON = /^([A-Za-z_][A-Za-z0-9_.]*)=(not\.)?(eq|neq|gt|gte|lt|lte)\.([\s\S]*)$/

/** Parameter names that are not filters. */
const RESERVED = /(^|\.)(select|columns|on_conflict|order|limit|offset|and|or)$/

/** Random, so that no value of a request can equal a marker. */
const MARKER = `marker-${randomUUID()}-`
const BODY_MARKER = JSON.stringify({ [MARKER]: 'body' })

type Slot = { readonly kind: 'operand'; readonly index: number } | { readonly kind: 'body' }

interface Template {
  readonly text: string
  readonly values: readonly unknown[]
  readonly slots: readonly (readonly [position: number, slot: Slot])[]
}

interface Entry {
  readonly request: ApiRequest
  readonly plan: Plan
  readonly main: Template
  readonly explain: Template | undefined
}

/** Known shapes. Stores no request bodies, which are many and large. */
interface Known {
  readonly entries: Map<string, Entry>
  /** Parser input per shape with a body. */
  readonly bodies: Map<string, Pick<ApiRequest, 'action' | 'query'>>
  /** Shapes seen once. */
  readonly seen: Set<string>
}

/**
 * Wraps the stages with a cache: a request of a known shape is prepared by replacing the values.
 *
 * The shape is the whole request except the operands of comparisons (`id=eq.7`) and the content of a JSON body. This is verified: the second
 * request of a shape is also prepared with markers as operands. It is cached only if the text is identical, the markers appear in place of
 * the operands, and all other values are equal.
 *
 * @param stages - determine the cached plans through catalog and options
 * @param entriesMax - cached shapes; the least recently used one is evicted first
 */
export function withPlanCache(stages: Stages, entriesMax: number): Prepare {
  const known: Known = { entries: new Map(), bodies: new Map(), seen: new Set() }
  const prepareFresh = prepareWith(stages)
  return (raw, onParsed) => {
    if (raw.search.length > SEARCH_CHARACTERS_MAX) return prepareFresh(raw, onParsed)
    const { shape, operands } = shapeOf(raw)
    if (shape.length > SHAPE_CHARACTERS_MAX) return prepareFresh(raw, onParsed)
    const first = hasBody(raw) ? known.bodies.get(shape) : undefined
    if (hasBody(raw) && !first) {
      const fresh = prepareFresh(raw, onParsed)
      const { action, query } = fresh.request
      remember(known.bodies, shape, { action, query }, entriesMax)
      return fresh
    }
    const payload = first && stages.parsePayload(raw, first)
    if (payload && payload.kind !== 'rows') return prepareFresh(raw, onParsed)
    const key = payload ? keyOf(shape, payload) : shape
    if (key.length > SHAPE_CHARACTERS_MAX) return prepareFresh(raw, onParsed)
    const entry = known.entries.get(key)
    if (entry) {
      known.entries.delete(key)
      known.entries.set(key, entry)
      onParsed?.()
      return fill(entry, raw, stages, operands, payload)
    }
    const fresh = prepareFresh(raw, onParsed)
    if (isFirstTime(known.seen, key)) return fresh
    const made = makeEntry(raw, stages, fresh, operands)
    if (made) remember(known.entries, key, made, entriesMax)
    return fresh
  }
}

function keyOf(shape: string, { isObject, format, columns }: RowsPayload): string {
  return `${shape}\n${isObject ? 'object' : 'array'} ${format} ${JSON.stringify(columns)}`
}

function isFirstTime(seen: Set<string>, key: string): boolean {
  if (seen.has(key)) return false
  if (seen.size >= SEEN_MAX) seen.clear()
  seen.add(key)
  return true
}

function remember<T>(map: Map<string, T>, key: string, value: T, max: number): void {
  map.set(key, value)
  if (map.size <= max) return
  const [oldest] = map.keys()
  if (oldest !== undefined) map.delete(oldest)
}

function hasBody({ body }: RawRequest): boolean {
  return body !== undefined && body.length > 0
}

/** Returns the shape of a request and its raw operands. */
function shapeOf(raw: RawRequest): { readonly shape: string; readonly operands: readonly string[] } {
  const operands: string[] = []
  let shape = `${raw.method} ${raw.path}`
  for (const piece of raw.search.split('&')) {
    const operand = operandOf(piece)
    if (operand === undefined) shape += `\n${piece}`
    else {
      operands.push(operand)
      shape += `\n${piece.slice(0, piece.length - operand.length)}\0`
    }
  }
  for (const name of SHAPING_HEADERS) {
    const value = raw.headers[name]
    shape += value === undefined ? '\n' : `\n ${typeof value === 'string' ? value : value.join(', ')}`
  }
  return { shape, operands }
}

function operandOf(piece: string): string | undefined {
  const match = COMPARISON.exec(piece)
  return match && !RESERVED.test(match[1] ?? '') && !piece.includes('%00') ? match[4] : undefined
}

/** Prepares the same request with markers and compares. @returns `undefined` if operands or body affect more than values */
function makeEntry(raw: RawRequest, stages: Stages, fresh: Prepared, operands: readonly string[]): Entry | undefined {
  if (!fresh.main || fresh.plan.kind === 'info' || fresh.plan.kind === 'inspect') return undefined
  let marked: Prepared
  try {
    marked = prepareMarked(raw, stages, fresh)
  } catch {
    return undefined // the stages reject a marker, so the operand is not an opaque value
  }
  const actual = operands.map(decode)
  const body = (fresh.request.payload as RowsPayload | undefined)?.json
  const main = compare(fresh.main, marked.main, actual, body)
  const explain = fresh.explain && compare(fresh.explain, marked.explain, actual, body)
  if (!main || (fresh.explain && !explain)) return undefined
  return { request: marked.request, plan: marked.plan, main, explain }
}

function prepareMarked(raw: RawRequest, stages: Stages, fresh: Prepared): Prepared {
  let index = 0
  const pieces = raw.search.split('&').map((piece) => {
    const operand = operandOf(piece)
    return operand === undefined ? piece : `${piece.slice(0, piece.length - operand.length)}${MARKER}${index++}`
  })
  const parsed = stages.parse({ ...raw, search: pieces.join('&') })
  const { payload } = fresh.request
  const request =
    payload?.kind === 'rows' && hasBody(raw) ? { ...parsed, payload: { ...payload, json: BODY_MARKER } } : parsed
  const plan = stages.plan(request)
  return { request, plan, ...renderAll(stages.render(plan)) }
}

function compare(
  fresh: Rendered,
  marked: Rendered | undefined,
  operands: readonly string[],
  body: unknown,
): Template | undefined {
  if (!marked || marked.text !== fresh.text || marked.values.length !== fresh.values.length) return undefined
  const slots: (readonly [number, Slot])[] = []
  for (const [position, value] of marked.values.entries()) {
    const real = fresh.values[position]
    const slot = slotOf(value)
    if (slot) {
      if (real !== (slot.kind === 'body' ? body : operands[slot.index])) return undefined
      slots.push([position, slot])
    } else if (!isDeepStrictEqual(real, value)) return undefined
  }
  return { text: marked.text, values: marked.values, slots }
}

function slotOf(value: unknown): Slot | undefined {
  if (value === BODY_MARKER) return { kind: 'body' }
  if (typeof value !== 'string' || !value.startsWith(MARKER)) return undefined
  return { kind: 'operand', index: Number(value.slice(MARKER.length)) }
}

function fill(
  entry: Entry,
  raw: RawRequest,
  stages: Stages,
  operands: readonly string[],
  payload: RowsPayload | undefined,
): Prepared {
  const { canonical, ...parts } = stages.parseParts(raw)
  const request = {
    ...entry.request,
    ...parts,
    payload: payload ?? entry.request.payload,
    query: { ...entry.request.query, canonical },
  }
  const actual = operands.map(decode)
  return {
    request,
    plan: entry.plan,
    main: fillTemplate(entry.main, actual, payload),
    explain: entry.explain && fillTemplate(entry.explain, actual, payload),
  }
}

function fillTemplate(
  { text, values, slots }: Template,
  operands: readonly string[],
  payload: RowsPayload | undefined,
): Rendered {
  if (slots.length === 0) return { text, values }
  const filled = [...values]
  for (const [position, slot] of slots) {
    filled[position] = slot.kind === 'body' ? payload?.json : operands[slot.index]
  }
  return { text, values: filled }
}

/** Decodes a query string component. */
function decode(operand: string): string {
  if (!/[%+]/.test(operand)) return operand
  return new URLSearchParams(`_=${operand}`).get('_') ?? ''
}
