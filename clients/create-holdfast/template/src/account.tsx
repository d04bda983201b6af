import type { DeviceState } from '@holdfast/client'
import { useHoldfast, useSession } from '@holdfast/react'
import { useState, type FormEvent } from 'react'

export function Account({ state }: { state: Exclude<DeviceState, { kind: 'open' }> }) {
  const { auth } = useHoldfast().supabase
  const session = useSession()
  const [isNew, setIsNew] = useState(false)
  const [message, setMessage] = useState('')

  async function enter(event: FormEvent<HTMLFormElement>) {
    event.preventDefault()
    const form = new FormData(event.currentTarget)
    const account = { email: String(form.get('email')), password: String(form.get('password')) }
    const { data, error } = await (isNew ? auth.signUp(account) : auth.signInWithPassword(account))
    setMessage(error ? error.message : data.session ? '' : 'Open the link in the mail that was sent to you.')
  }

  if (session.kind === 'booting') return null
  // Opening after signing in, or still signing out.
  if (session.kind !== 'signed_out' && state.kind !== 'failed')
    return (
      <main className="account">
        <p role="status">{state.kind === 'opening' ? (state.problem ?? 'Opening your notes…') : 'One moment…'}</p>
      </main>
    )
  return (
    <main className="account">
      <h1>Notes</h1>
      <form onSubmit={(event) => void enter(event)}>
        <label>
          E-mail address
          <input name="email" type="email" autoComplete="email" required />
        </label>
        <label>
          Password
          <input
            name="password"
            type="password"
            autoComplete={isNew ? 'new-password' : 'current-password'}
            minLength={6}
            required
          />
        </label>
        <button>{isNew ? 'Sign up' : 'Sign in'}</button>
        <p role="alert">{state.kind === 'failed' ? state.error.message : message}</p>
      </form>
      <button className="quiet" onClick={() => setIsNew(!isNew)}>
        {isNew ? 'I have an account' : 'Create an account'}
      </button>
    </main>
  )
}
