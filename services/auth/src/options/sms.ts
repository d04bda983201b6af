import { flag, integer, list, type OptionDeclarations, text } from '@holdfast/foundation'

/** Text messages and sign-in by text message. */
export const smsOptions = {
  smsEnableSignup: flag('Whether users may sign up and in by phone number.', { default: false }),
  smsEnableConfirmations: flag('Whether a new phone number must be confirmed.', {
    default: false,
  }),
  smsMaxFrequency: integer('Minimum seconds between two text messages to one user.', {
    default: 5,
    min: 0,
    max: 86400,
  }),
  smsOtpLength: integer('Digits of a texted code.', { default: 6, min: 6, max: 10 }),
  smsOtpExpiry: integer('Lifetime of a texted code in seconds.', {
    default: 60,
    min: 30,
    max: 86400,
  }),
  smsTemplate: text('Text of the message.', { default: 'Your code is {{ .Code }}' }),
  smsTestOtp: list('Test numbers with a fixed code, to which nothing is sent: `4152127777=123456`.', { default: [] }),
  smsTwilioAccountSid: text('Twilio account. Without one, messages are captured in the mailbox.'),
  smsTwilioAuthToken: text('Secret of the Twilio account.', { secret: true }),
  smsTwilioMessageServiceSid: text('Twilio messaging service or sender number.'),
  smsTwilioContentSid: text('Approved Twilio template for WhatsApp codes (`HX…`); its variable `1` is the code.'),
  smsTwilioUrl: text('URL of Twilio’s API.', { default: 'https://api.twilio.com' }),
  smsTwilioVerifyAccountSid: text(
    'Twilio account for Twilio Verify, which creates, sends and checks the codes; replaces `smsTwilioAccountSid`.',
  ),
  smsTwilioVerifyAuthToken: text('Secret of that account.', { secret: true }),
  smsTwilioVerifyMessageServiceSid: text('Twilio Verify service (`VA…`).'),
  smsTwilioVerifyUrl: text('URL of the Twilio Verify API.', { default: 'https://verify.twilio.com' }),
} satisfies OptionDeclarations
