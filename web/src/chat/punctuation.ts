/** Stands in the built page where markdown-it imports uc.micro: the browser has the classes of Unicode itself. */
export const P = /\p{P}/u;
export const S = /\p{S}/u;
