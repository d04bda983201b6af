import { assert } from '@holdfast/foundation'
import type { AuthOptions } from '../options/auth-options.ts'
import type { Captcha } from './captcha.ts'

export function createCaptcha(options: AuthOptions): Captcha {
  assert(!options.captchaEnabled, 'there are no captchas yet')
  return { require: async () => undefined }
}
