import { inLanguages } from '../lib/texts.ts'

export const recoverMessages = inLanguages('recoverMessages', {
  title: 'Forgot your password?',
  detail: 'Enter your e-mail. You get a mail with a code and a link to choose a new password.',
  email: 'E-mail',
  emailMissing: 'Enter your e-mail',
  emailIncomplete: 'Enter a whole e-mail address, such as dana@example.org',
  submit: 'Send the mail',
  offline: 'Choosing a new password needs a connection.',
  back: 'Back to sign in',
  checkMail: 'Check your mail',
  checkMailDetail: (email: string) =>
    `If there is an account for ${email}, a mail is on its way. Enter the code from it, or open its link in this browser.`,
  resend: 'Send the mail again',
  newTitle: 'Choose a new password',
  newDetail: (email: string) => `For ${email}. Other devices are signed out.`,
  inviteTitle: 'Welcome. Choose a password',
  inviteDetail: (email: string) => `You sign in with ${email} and this password from now on.`,
  save: 'Save password',
  cancel: 'Cancel and sign out',
  later: 'Not now',
  saved: 'Your password is saved',
})
