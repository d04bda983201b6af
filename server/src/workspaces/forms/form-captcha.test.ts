import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { text } from 'node:stream/consumers'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { createCaptchaProvider } from '@holdfast/auth'
import { silentLogger } from '@holdfast/foundation'
import { createFormCaptcha, type FormCaptcha } from './form-captcha.ts'

const answered = { form: 'form', submission: 'one', address: '192.0.2.1' }
/** A provider that knows one human, and that answers nothing to `hang`. */
const provider = createServer((request, response) => {
  void text(request).then((body) => {
    const given = new URLSearchParams(body).get('response')
    if (given !== 'hang') response.end(JSON.stringify({ success: given === 'human', 'error-codes': ['bad-response'] }))
  })
})
let captcha: FormCaptcha

beforeAll(async () => {
  await new Promise<void>((resolve) => provider.listen(0, '127.0.0.1', resolve))
  const captchaUrl = `http://127.0.0.1:${(provider.address() as AddressInfo).port}`
  const options = { captchaProvider: 'hcaptcha', captchaSecret: 'secret', captchaUrl }
  captcha = createFormCaptcha(createCaptchaProvider(options, 200), silentLogger)
})
afterAll(() => {
  provider.closeAllConnections()
  provider.close()
})

test('an answer passes with the response of a human only', async () => {
  await captcha.require(answered, 'human')
  for (const proof of ['robot', '', undefined, { solution: 1 }, 'x'.repeat(10_000)])
    await expect(captcha.require(answered, proof)).rejects.toMatchObject({ code: 'captcha_failed', status: 400 })
  await expect(captcha.createPuzzle(answered)).rejects.toMatchObject({ status: 404 })
})

test('a provider that hangs holds up its own visitor for a limited time, and nobody else', async () => {
  const hanging = [1, 2, 3].map(() => captcha.require(answered, 'hang'))
  await captcha.require({ ...answered, address: '192.0.2.2' }, 'human')
  for (const one of await Promise.allSettled(hanging))
    expect(one).toMatchObject({ status: 'rejected', reason: { code: 'captcha_unavailable', status: 503 } })
})
