import { expect, test } from 'vitest'
import { readCaptchaSettings } from './captcha-settings.ts'

const read = (given: Partial<Parameters<typeof readCaptchaSettings>[0]>) =>
  readCaptchaSettings({
    captchaEnabled: false,
    captchaProvider: 'turnstile',
    captchaSiteKey: undefined,
    formCaptcha: 'work',
    ...given,
  })

test('without settings no provider is shown, and forms are checked by the device', () => {
  expect(read({})).toEqual({ ofForms: 'work', isShownAtSignIn: false, page: undefined })
  expect(read({ captchaSiteKey: 'key' })).toMatchObject({ page: undefined })
  expect(read({ captchaEnabled: true })).toMatchObject({ isShownAtSignIn: false, page: undefined })
})

test('a provider is shown where it checks', () => {
  const page = { provider: 'turnstile', siteKey: 'key' }
  expect(read({ captchaEnabled: true, captchaSiteKey: ' key ' })).toEqual({
    ofForms: 'work',
    isShownAtSignIn: true,
    page,
  })
  expect(read({ formCaptcha: 'provider', captchaSiteKey: 'key' })).toEqual({
    ofForms: 'turnstile',
    isShownAtSignIn: false,
    page,
  })
})

test('a provider of forms needs its key and a known name', () => {
  expect(() => read({ formCaptcha: 'provider' })).toThrow('captchaSiteKey')
  expect(() => read({ formCaptcha: 'recaptcha' })).toThrow('neither work nor provider')
  expect(() => read({ formCaptcha: 'provider', captchaProvider: 'other', captchaSiteKey: 'key' })).toThrow('hcaptcha')
})
