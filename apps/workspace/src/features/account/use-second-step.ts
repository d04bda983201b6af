import type { Factor } from '@supabase/supabase-js'
import { useState } from 'react'
import { accountMessages } from '../../messages/account.ts'
import { useAccount } from './account-context.tsx'
import { type AccountFailure, describeAccountError } from './account-failure.ts'
import { unwrap } from './unwrap.ts'

/** The choice of a second factor, and the answer so far. */
export interface SecondStep {
  readonly factor: Factor | undefined
  readonly kind: Factor['factor_type']
  /** The phone has no code yet; submitting sends one. */
  readonly isSending: boolean
  readonly code: string
  readonly isPending: boolean
  readonly failure: AccountFailure | undefined
  choose(factorId: string): void
  type(code: string): void
  submit(): Promise<void>
}

/** State of the chosen factor; another factor starts afresh. */
interface Attempt {
  readonly factorId: string
  readonly challengeId: string | undefined
  readonly code: string
  readonly failure: AccountFailure | undefined
}

export function useSecondStep(factors: readonly Factor[], onConfirmed: () => void): SecondStep {
  const { supabase } = useAccount()
  const { mfa } = supabase.auth
  const [attempt, setAttempt] = useState<Attempt>(() => attemptWith(factors[0]?.id ?? ''))
  const [isPending, setPending] = useState(false)
  const { factorId, challengeId, code, failure } = attempt
  const factor = factors.find(({ id }) => id === factorId)
  const kind = factor?.factor_type ?? 'totp'
  const isSending = kind === 'phone' && challengeId === undefined

  /** @returns whether the answer was correct; false if a code was sent */
  const confirm = async (): Promise<boolean> => {
    if (kind === 'webauthn') {
      unwrap(await mfa.webauthn.authenticate({ factorId }))
    } else if (kind === 'recovery_code') {
      unwrap(await mfa.recoveryCodes.verify({ code }))
    } else if (kind === 'totp') {
      unwrap(await mfa.challengeAndVerify({ factorId, code }))
    } else if (challengeId === undefined) {
      const { id } = unwrap(await mfa.challenge({ factorId, channel: 'sms' }))
      setAttempt((before) => ({ ...before, challengeId: id }))
      return false
    } else {
      unwrap(await mfa.verify({ factorId, challengeId, code }))
    }
    return true
  }
  const fail = (reason: AccountFailure | undefined): void => setAttempt((before) => ({ ...before, failure: reason }))

  return {
    factor,
    kind,
    isSending,
    code,
    isPending,
    failure,
    choose: (id) => setAttempt(attemptWith(id)),
    type: (text) => setAttempt((before) => ({ ...before, code: text })),
    async submit() {
      if (kind !== 'webauthn' && !isSending && code === '') {
        return fail({ code: 'HF-CODE-MISSING', message: accountMessages.codeMissing })
      }
      setPending(true)
      fail(undefined)
      try {
        if (await confirm()) onConfirmed()
      } catch (error) {
        fail(describeAccountError(error))
      } finally {
        setPending(false)
      }
    },
  }
}

function attemptWith(factorId: string): Attempt {
  return { factorId, challengeId: undefined, code: '', failure: undefined }
}
