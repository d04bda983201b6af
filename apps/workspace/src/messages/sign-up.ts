import { inLanguages } from '../lib/texts.ts'

export const signUpMessages = inLanguages('signUpMessages', {
  title: 'Create your account',
  name: 'Name',
  nameHelp: 'Other people see it beside what you do.',
  email: 'E-mail',
  password: 'Password',
  submit: 'Create account',
  haveAccount: 'Have an account already?',
  signIn: 'Sign in',
  off: 'You need an invitation to create an account',
  offDetail: 'Ask the owner of a workspace to invite you.',
  offline: 'Creating an account needs a connection.',
  emailMissing: 'Enter your e-mail',
  emailIncomplete: 'Enter a whole e-mail address, such as dana@example.org',
  phoneMissing: 'Enter your phone number',
  phone: 'Phone number',
  phoneHelp: 'With the code of your country, such as +44 20 7946 0123. You get a message with a code.',
  sendCode: 'Send me a code',
  checkMail: 'Check your mail',
  checkMailDetail: (email: string) =>
    `We have sent a mail to ${email}. Enter the code from it, or open its link in this browser.`,
  resend: 'Send the mail again',
  otherAddress: 'Use another address',
})
