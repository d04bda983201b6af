import { createClient } from '@supabase/supabase-js'
import { expect, test } from 'vitest'
import { memoryStore } from '../key-value.ts'
import { openSession } from './session.ts'

test('a device whose store cannot be read asks for a sign-in, and says why', async () => {
  const supabase = createClient('http://127.0.0.1:1', 'anon', { auth: { persistSession: false } })
  const problems: unknown[] = []
  const closed = new Error('The store is closed')
  const store = { ...memoryStore(), getItem: () => Promise.reject(closed) }
  using session = openSession(supabase, store, (problem) => problems.push(problem))
  await expect.poll(() => session.state.get()).toEqual({ kind: 'signed_out' })
  expect(problems).toEqual([closed])
})
