import { AuthRetryableFetchError } from '@supabase/supabase-js'
import { afterEach, expect, test, vi } from 'vitest'
import type { Backend } from './backend.ts'
import { callFunction, CallRefused } from './call-function.ts'

const backend = {
  client: { supabase: { auth: { getSession: async () => ({ data: { session: null }, error: null }) } } },
  config: { anonKey: 'anon' },
} as unknown as Backend

function answerWith(response: Response): void {
  vi.stubGlobal('fetch', async () => response)
}

afterEach(() => vi.unstubAllGlobals())

test('what a function returns is the result, and nothing of one that returns nothing', async () => {
  answerWith(Response.json(null))
  expect(await callFunction(backend, 'daily_mail', {})).toBeNull()
  answerWith(new Response(null, { status: 204 }))
  expect(await callFunction(backend, 'remove_member', {})).toBeUndefined()
})

test('a hotel’s page is no success, whatever its status', async () => {
  for (const status of [200, 403]) {
    answerWith(new Response('<!doctype html>', { status, headers: { 'content-type': 'text/html; charset=utf-8' } }))
    await expect(callFunction(backend, 'remove_member', {})).rejects.toThrow(TypeError)
  }
})

test('while the token cannot be renewed nothing is asked as nobody', async () => {
  const getSession = async (): Promise<unknown> => ({
    data: { session: null },
    error: new AuthRetryableFetchError('the line is dead', 0),
  })
  const asked = vi.fn<typeof fetch>()
  vi.stubGlobal('fetch', asked)
  const offline = { ...backend, client: { supabase: { auth: { getSession } } } } as unknown as Backend
  await expect(callFunction(offline, 'remove_member', {})).rejects.toThrow(TypeError)
  expect(asked).not.toHaveBeenCalled()
})

test('half an answer is none', async () => {
  answerWith(new Response('{"outcome":"acc', { headers: { 'content-type': 'application/json' } }))
  await expect(callFunction(backend, 'answer_invitation', {})).rejects.toThrow(TypeError)
})

test('a refusal has the words of the function', async () => {
  answerWith(Response.json({ code: 'P0001', hint: 'member.last_owner', message: 'no' }, { status: 400 }))
  await expect(callFunction(backend, 'remove_member', {})).rejects.toEqual(
    new CallRefused(400, { code: 'P0001', hint: 'member.last_owner', message: 'no' }),
  )
})
