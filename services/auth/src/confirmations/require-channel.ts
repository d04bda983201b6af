import type { AuthContext } from '../context.ts'
import type { SmsChannel } from '../messages/messages.ts'
import { unsupportedChannel } from './errors.ts'

/**
 * The way a message to a number takes. WhatsApp needs Twilio; a hook is handed every message, whatever the way.
 *
 * @throws {HoldfastError} `validation_failed`
 */
export function requireChannel(context: AuthContext, channel: string): SmsChannel {
  if (channel === '' || channel === 'sms' || context.hooks.has('send_sms')) return 'sms'
  const { smsTwilioAccountSid, smsTwilioVerifyAccountSid } = context.options
  if (channel === 'whatsapp' && (smsTwilioAccountSid || smsTwilioVerifyAccountSid)) return 'whatsapp'
  throw unsupportedChannel()
}
