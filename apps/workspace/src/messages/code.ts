import { inLanguages } from '../lib/texts.ts'

/** Texts shared by all forms that accept a code. */
export const codeMessages = inLanguages('codeMessages', {
  label: 'Code',
  submit: 'Continue',
  missing: (digits: number) => `Enter all ${digits} digits`,
  notArrived: 'Nothing there?',
  sent: 'Sent.',
  resend: 'Send a new code',
  resendIn: (seconds: number) => `Again in ${seconds} s`,
})
