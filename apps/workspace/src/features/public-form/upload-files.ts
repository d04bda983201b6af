import * as v from 'valibot'
import { ownRequest } from '../../lib/data/own-request.ts'
import { addressOf, type Answer, type AnswerFile, failureOf, type Proof, type Sending } from './visitor-answers.ts'
import { readFile } from './waiting-files.ts'

/** Bytes of a piece: the first, the largest after quick ones, and the one after a failure. */
const PIECE_BYTES = 262_144
const PIECE_BYTES_MAX = 2_097_152
const PIECE_BYTES_MIN = 65_536

/** Time in ms for a piece after which the next one is larger. */
const QUICK_MS = 1_000

const offsetsSchema = v.object({ offsets: v.record(v.string(), v.number()) })
const offsetSchema = v.object({ offset: v.number() })

/** Bytes of an answer's files that have been sent. */
export interface UploadProgress {
  readonly sent: number
  readonly total: number
}

/** Sends the files of an answer, from where the last attempt ended. @returns `sent` once the server has all of them */
export async function uploadFiles(
  slug: string,
  { id, files = [] }: Answer,
  captcha: Proof | undefined,
  onProgress: (progress: UploadProgress) => void,
): Promise<Sending> {
  const body = JSON.stringify({ id, files, captcha })
  const headers = { 'content-type': 'application/json' }
  const begun = await ask(`${addressOf(slug)}/files`, { method: 'POST', headers, body })
  // The answer was sent with the last attempt, whose response was lost.
  if (begun.status === 409) return { kind: 'sent' }
  if (!begun.ok) return failureOf(begun)
  const { offsets } = v.parse(offsetsSchema, await begun.json())
  const total = files.reduce((sum, { size }) => sum + size, 0)
  let before = 0
  for (const file of files) {
    const sent = await uploadOne(slug, file, offsets[file.id] ?? 0, (offset) =>
      onProgress({ sent: before + offset, total }),
    )
    if (sent.kind !== 'sent') return sent
    before += file.size
  }
  return { kind: 'sent' }
}

async function uploadOne(
  slug: string,
  { id, name, size }: AnswerFile,
  from: number,
  onProgress: (offset: number) => void,
): Promise<Sending> {
  const bytes = await readFile(id)
  if (bytes?.size !== size) return { kind: 'lost', reason: name }
  let offset = from
  let piece = PIECE_BYTES
  let failures = 0
  onProgress(offset)
  while (offset < size) {
    const began = performance.now()
    const init = {
      method: 'PATCH',
      headers: { 'content-type': 'application/octet-stream', 'upload-offset': String(offset) },
      body: bytes.slice(offset, offset + piece),
    }
    const response = await ask(`${addressOf(slug)}/files/${id}`, init)
    if (!response.ok) {
      failures += 1
      piece = PIECE_BYTES_MIN
      const failure = await failureOf(response)
      if (failure.kind !== 'later' || failures > 1) return failure
      continue
    }
    failures = 0
    offset = v.parse(offsetSchema, await response.json()).offset
    onProgress(offset)
    if (performance.now() - began < QUICK_MS) piece = Math.min(PIECE_BYTES_MAX, piece * 2)
  }
  return { kind: 'sent' }
}

/** @returns 503 if the server is unreachable */
async function ask(address: string, init: RequestInit): Promise<Response> {
  try {
    return await ownRequest(address, init)
  } catch (error) {
    if (error instanceof TypeError) return new Response(null, { status: 503 })
    throw error
  }
}
