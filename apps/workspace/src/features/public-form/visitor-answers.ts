import * as v from 'valibot'
import { ownRequest } from '../../lib/data/own-request.ts'
import { localValue } from '../../lib/local-value.ts'
import { questionSchema } from '../../lib/fields/question.ts'
import { type Puzzle, puzzleSchema, type SolvedPuzzle } from './solve-puzzle.ts'

/** Answers that one device keeps for one form until they are sent. */
export const WAITING_MAX = 50

const formSchema = v.object({
  title: v.string(),
  intro: v.string(),
  thanks: v.string(),
  workspace: v.string(),
  isOpen: v.boolean(),
  /** What comes before an answer is sent: a computation, or the captcha of a provider. */
  captcha: v.fallback(v.nullish(v.picklist(['work', 'turnstile', 'hcaptcha']), null), null),
  // A question of a newer server is left out, and the server refuses what it needs.
  questions: v.pipe(
    v.array(v.unknown()),
    v.transform((all) => all.flatMap((one) => (v.is(questionSchema, one) ? [v.parse(questionSchema, one)] : []))),
  ),
})
export type PublicForm = v.InferOutput<typeof formSchema>

const answerFileSchema = v.object({
  id: v.string(),
  field: v.string(),
  name: v.string(),
  type: v.string(),
  size: v.number(),
})
export type AnswerFile = v.InferOutput<typeof answerFileSchema>

const answerSchema = v.object({
  /** Id of the record to be. The server adds it once, however often it is sent. */
  id: v.string(),
  values: v.record(v.string(), v.nullable(v.union([v.string(), v.boolean()]))),
  /** The device stores their bytes (`waiting-files.ts`). */
  files: v.optional(v.array(answerFileSchema)),
  /** The captcha was passed when the files were announced. */
  isChecked: v.optional(v.boolean()),
  /** Why the server refused it. */
  refusal: v.optional(v.string()),
})
export type Answer = v.InferOutput<typeof answerSchema>
export type Values = Answer['values']

/** Result of fetching a form. */
export type Fetched =
  | { readonly kind: 'form'; readonly form: PublicForm }
  | { readonly kind: 'gone' }
  /** The server is unreachable or failed. */
  | { readonly kind: 'failed' }

/** Result of sending. */
export interface Sending {
  /** `unchecked`: the server wants a captcha, or another one. `lost`: this browser has lost a file. */
  readonly kind: 'sent' | 'refused' | 'later' | 'unchecked' | 'lost'
  /** The server's reason, or the name of the file. */
  readonly reason?: string
}

/** What passes the captcha for one answer. */
export type Proof = SolvedPuzzle | string

const answersKey = (slug: string): string => `hf-answers-${slug}`
export const addressOf = (slug: string): string => `/app/v1/forms/${encodeURIComponent(slug)}`
const storedForm = (slug: string) => localValue(`hf-form-${slug}`, formSchema as v.GenericSchema<unknown, PublicForm>)
const storedAnswers = (slug: string) => localValue(answersKey(slug), v.array(answerSchema))

/** Returns the form as it was when this device last fetched it. */
export function readStoredForm(slug: string): PublicForm | undefined {
  return storedForm(slug).read()
}

/** Fetches the form and stores it for visits without a network. */
export async function fetchForm(slug: string): Promise<Fetched> {
  try {
    const response = await ownRequest(addressOf(slug), { headers: { accept: 'application/json' } })
    if (response.status === 404) {
      storedForm(slug).clear()
      return { kind: 'gone' }
    }
    if (!response.ok) return { kind: 'failed' }
    const form = v.parse(formSchema, await response.json())
    storedForm(slug).write(form)
    return { kind: 'form', form }
  } catch (error) {
    if (error instanceof TypeError || error instanceof v.ValiError) return { kind: 'failed' }
    throw error
  }
}

export function readAnswers(slug: string): readonly Answer[] {
  return storedAnswers(slug).read() ?? []
}

/** @returns whether the browser stores them beyond this page */
export function writeAnswers(slug: string, answers: readonly Answer[]): boolean {
  if (answers.length === 0) storedAnswers(slug).clear()
  else storedAnswers(slug).write([...answers])
  try {
    return answers.length === 0 || localStorage.getItem(answersKey(slug)) === JSON.stringify(answers)
  } catch {
    return false // storage is disabled
  }
}

/** Fetches the puzzle to solve for an answer; `undefined` if the server is unreachable or refuses. */
export async function fetchPuzzle(slug: string, id: string): Promise<Puzzle | undefined> {
  try {
    const response = await ownRequest(`${addressOf(slug)}/puzzle?id=${encodeURIComponent(id)}`, {})
    return response.ok ? v.parse(puzzleSchema, await response.json()) : undefined
  } catch (error) {
    if (error instanceof TypeError || error instanceof SyntaxError || error instanceof v.ValiError) return undefined
    throw error
  }
}

/** Sends an answer whose files the server has. A refusal is stored with it. */
export async function sendAnswer(slug: string, { id, values }: Answer, captcha: Proof | undefined): Promise<Sending> {
  try {
    const response = await ownRequest(addressOf(slug), {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ id, values, captcha }),
    })
    return response.ok ? { kind: 'sent' } : await failureOf(response)
  } catch (error) {
    if (error instanceof TypeError) return { kind: 'later' }
    throw error
  }
}

const refusalSchema = v.object({ code: v.fallback(v.string(), ''), message: v.fallback(v.string(), '') })

/** Returns what a refusal means for the answer. */
export async function failureOf(response: Response): Promise<Sending> {
  const { status } = response
  // An announcement of files that has expired is repeated.
  if (status === 409 || status === 429 || status >= 500) return { kind: 'later' }
  const { code, message } = v.parse(refusalSchema, await response.json().catch(() => ({})))
  if (code === 'file_not_found') return { kind: 'later' }
  return code === 'captcha_failed' ? { kind: 'unchecked' } : { kind: 'refused', reason: message }
}
