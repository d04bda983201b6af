import { flag, integer, list, type OptionDeclarations, text } from '@holdfast/foundation'

/** Text messages and sign-in by text message. */
export const smsOptions = {
  smsEnableSignup: flag('Whether people may sign up and in with a phone number.', { default: false }),
  smsEnableConfirmations: flag('Whether a new phone number has to be confirmed by a text message before it counts.', {
    default: false,
  }),
  smsMaxFrequency: integer('The least time between two text messages to one person, in seconds.', {
    default: 5,
    min: 0,
    max: 86400,
  }),
  smsOtpLength: integer('The digits of a code in a text message.', { default: 6, min: 6, max: 10 }),
  smsOtpExpiry: integer('How long a code in a text message is good for, in seconds.', {
    default: 60,
    min: 30,
    max: 86400,
  }),
  smsTemplate: text('The text of a message.', { default: 'Your code is {{ .Code }}' }),
  smsTestOtp: list('Numbers that get no message and always the same code, as `4152127777=123456`.', { default: [] }),
  smsTwilioAccountSid: text('The account at Twilio. Without one, messages are kept with the captured mails.'),
  smsTwilioAuthToken: text('The secret of the account at Twilio.', { secret: true }),
  smsTwilioMessageServiceSid: text('The messaging service at Twilio, or the number that messages come from.'),
  smsTwilioContentSid: text(
    'The approved template at Twilio for codes over WhatsApp (`HX…`); its variable `1` is the code.',
  ),
  smsTwilioUrl: text("The address of Twilio's API.", { default: 'https://api.twilio.com' }),
  smsTwilioVerifyAccountSid: text(
    'The account at Twilio if Twilio Verify makes, sends and checks the codes, instead of `smsTwilioAccountSid`.',
  ),
  smsTwilioVerifyAuthToken: text('The secret of the account at Twilio, for Twilio Verify.', { secret: true }),
  smsTwilioVerifyMessageServiceSid: text('The service of Twilio Verify (`VA…`).'),
  smsTwilioVerifyUrl: text('The address of the API of Twilio Verify.', { default: 'https://verify.twilio.com' }),
} satisfies OptionDeclarations
