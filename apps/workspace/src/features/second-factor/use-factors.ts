import type { Factor } from '@supabase/supabase-js'
import { useEffect, useState } from 'react'
import { useBackend } from '../../lib/data/backend-context.tsx'

const ORDER = ['webauthn', 'totp', 'phone', 'recovery_code']

/** The person's verified factors, the one that takes least effort first: what the session remembers, then what the server says. */
export function useFactors(): readonly Factor[] | undefined {
  const { client } = useBackend()
  const [factors, setFactors] = useState<readonly Factor[]>()
  // The auth client has no hook of its own.
  useEffect(() => {
    let isOver = false
    const show = (all: readonly Factor[]): void => {
      const usable = all.filter(({ status, factor_type }) => status === 'verified' && ORDER.includes(factor_type))
      if (!isOver) setFactors(usable.toSorted((a, b) => ORDER.indexOf(a.factor_type) - ORDER.indexOf(b.factor_type)))
    }
    const look = async (): Promise<void> => {
      const { auth } = client.supabase
      const { data: known } = await auth.getSession()
      show(known.session?.user.factors ?? [])
      const { data, error } = await auth.mfa.listFactors()
      if (data) show(data.all)
      else console.info('The factors of the last sign-in are shown; the server did not answer.', error)
    }
    void look()
    return () => {
      isOver = true
    }
  }, [client])
  return factors
}
