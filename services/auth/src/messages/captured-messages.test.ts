import { expect, test } from 'vitest'
import { linkIn } from './captured-messages.ts'

test('the link of a mail is the one with its secret, and no other that a person has written into it', () => {
  const link = 'http://127.0.0.1:54321/auth/confirm?token=pkce_5f&type=signup&redirect_to=http://127.0.0.1:54321'
  const body = `Hello https://evil.example/auth/confirm?token=guess,\n\nConfirm:\n${link}\n\nCode: 123456\n`
  expect(linkIn(body, 'pkce_5f')).toBe(link)
  expect(linkIn(body, null)).toBeUndefined()
  expect(linkIn('javascript:alert("pkce_5f")', 'pkce_5f')).toBeUndefined()
})
