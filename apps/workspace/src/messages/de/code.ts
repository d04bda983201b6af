import type { Translation } from '../../lib/texts.ts'
import type { codeMessages as english } from '../code.ts'

export const codeMessages: Translation<typeof english> = {
  label: 'Code',
  submit: 'Weiter',
  missing: (digits) => `Geben Sie alle ${digits} Ziffern ein`,
  notArrived: 'Nichts angekommen?',
  sent: 'Gesendet.',
  resend: 'Neuen Code senden',
  resendIn: (seconds) => `Wieder in ${seconds} s`,
}
