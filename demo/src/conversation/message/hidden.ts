export const hiddenWords = 'Said by somebody you have blocked'
