import { useState } from 'react'
import { callFunction, CallRefused } from '../lib/data/call-function.ts'
import { useBackend } from '../lib/data/backend-context.tsx'
import { peopleRefusals as words } from '../messages/people.ts'

/** Why a call failed, in words. */
export interface CallFailure {
  readonly text: string
  /** The server's words, if these say little. */
  readonly technical?: string
  /** The server's words, shown on demand: they may name what the text only describes. */
  readonly details?: string
}

/** A server call that the user triggers. */
export interface Call {
  readonly isPending: boolean
  readonly failure: CallFailure | undefined
  /** @returns the function's result in an object; `undefined` if it was refused, with the reason in `failure` */
  run<Result>(name: string, args: object): Promise<{ readonly result: Result } | undefined>
}

/** @param refusals - texts by the functions' `hint`, in addition to those of people */
export function useCall(refusals?: Readonly<Record<string, string>>): Call {
  const backend = useBackend()
  const [isPending, setPending] = useState(false)
  const [failure, setFailure] = useState<CallFailure>()
  return {
    isPending,
    failure,
    async run<Result>(name: string, args: object) {
      setPending(true)
      setFailure(undefined)
      try {
        return { result: await callWhileBusy(() => callFunction<Result>(backend, name, args)) }
      } catch (error) {
        setFailure(describeRefusal(error, refusals))
        return undefined
      } finally {
        setPending(false)
      }
    },
  }
}

const CALLS_MAX = 3

/** Repeats a call that waited in vain for a lock: its transaction was rolled back. */
async function callWhileBusy<Result>(call: () => Promise<Result>): Promise<Result> {
  for (let calls = 1; ; calls++)
    try {
      return await call()
    } catch (error) {
      if (calls === CALLS_MAX || !(error instanceof CallRefused) || error.code !== '55P03') throw error
    }
}

/** Describes an error of the database or the network. */
export function describeRefusal(error: unknown, refusals: Readonly<Record<string, string>> = {}): CallFailure {
  if (error instanceof TypeError) return { text: refusals['unreachable'] ?? words.unreachable }
  if (!(error instanceof CallRefused)) return { text: words.unexpected, technical: String(error) }
  const { hint, status, code, message } = error
  const known = hint === undefined ? undefined : (refusals[hint] ?? (words as Readonly<Record<string, string>>)[hint])
  // The message names what uses it.
  if (known !== undefined) {
    return /\.(used|duplicates)$/.test(hint ?? '')
      ? { text: known, technical: message }
      : { text: known, details: message }
  }
  if (status === 401) return { text: words.sessionOver }
  if (status === 429) return { text: words.tooMany }
  return { text: words.unexpected, technical: `${String(status)} ${code ?? ''} ${message}` }
}
