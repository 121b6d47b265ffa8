/** Wordings of questions about terms, by somebody who had not seen what the vocabulary layer looks for. */

/** What a term means. */
export const MEANING = [
  'What is a {term}?',
  'define {term}',
  'What does the word {term} mean?',
  'Could you please explain to me what is meant by a {term}?',
  '{term} meaning',
  'I keep seeing {term} in this document and have no idea what it is',
  "what's a {term} exactly",
  'How is {term} defined here?',
  "Hi, I'm new to all this, can somebody tell me what a {term} is supposed to be?",
  'Please give the definition of {term}.',
  'When the text says "{term}", what are they talking about?',
  '{term}?',
  'In plain English, what would you call a {term}?',
  'Tell me in one or two sentences what {term} stands for',
  'What counts as a {term}?',
  "explain {term} like I'm five",
  'What should I understand by the expression {term}?',
  'Not sure I get the term {term} - what does it refer to?',
  'Is there an official definition for {term}, and what does it say?',
  'Which things are described as a {term}?',
  'My manager mentioned a {term} this morning and I nodded along. So what is that?',
  'Looking for a short description of the concept of {term}',
  'What do people mean when they speak of a {term}?',
  'Can I get a quick explanation of the term {term}?',
] as const;

/** Anything else about it. */
export const ASIDE = [
  'How much does a {term} cost?',
  'Who is responsible for the {term}?',
  'When does the {term} have to be checked?',
  'where can I find the {term}',
  'How many people are needed to deal with a {term}?',
  'Do I need permission before using a {term}?',
  'What happens if the {term} fails or goes missing?',
  'steps to set up a {term}',
  'Hello, we had a problem with our {term} last week, whom should I contact about it?',
  'Is there any tax to be paid on a {term}?',
  'How long will a {term} usually last?',
  'Can I cancel or return a {term} after I have signed for it?',
  'What is the maximum size allowed for a {term}?',
  'Since which year has the {term} been required by law?',
  '{term} replacement fee',
  'Which form do I fill in to request a {term}?',
  'Are there any risks I should know about when handling a {term}?',
  "What's the best way to keep a {term} in good order?",
  'Why was the {term} rejected by the inspector?',
  'does my insurance cover the {term}',
  'How often may the {term} be changed in the course of a year?',
  'I would like to know whether a tenant is entitled to a {term} without extra charge.',
  'What temperature or conditions does the {term} need for storage?',
  'At what point in the process does the {term} come in, before or after the payment?',
] as const;

/** It and another. */
export const COMPARE = [
  'What is the difference between a {term} and a {other}?',
  '{term} vs {other}',
  'How does a {term} differ from a {other}?',
  'is a {term} the same thing as a {other} or not',
  'I always mix up {term} and {other}, how do I tell them apart?',
  'In what respect is a {term} unlike a {other}?',
  'Please compare {term} with {other} for me.',
  "What sets a {term} apart from what you'd normally call a {other}?",
] as const;
