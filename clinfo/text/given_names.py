"""Given names that are common in one country or another, to tell "Maria Lopez" from "Cushing Disease".

Written down for this program, without a source; names that are also everyday or medical words (Will, Rose, Grant, April) and
those of well-known eponyms are left out, because what they precede is seldom a person asked about.
"""

from __future__ import annotations

import re

GIVEN_NAMES = frozenset(
    """
    Aaron Abdul Abdullah Abigail Adam Adele Adrian Adriana Agnes Agnieszka Ahmad Ahmed Aidan Aisha Aiko Akira Alan Albert
    Alberto Alejandra Alejandro Alessandro Alessia Alex Alexander Alexandra Alfonso Alfred Ali Alice Alicia Alison Allison
    Amanda Amelia Amina Amir Amit Amy Ana Anastasia Anders Andrea Andreas Andrei Andres Andrew Andrzej Angela Angelika Anika
    Anil Anita Anja Ann Anna Anne Annette Annika Antoine Anton Antonia Antonio Anthony Anu Archana Ariel Arjun Arne Arthur Arun
    Asha Ashley Astrid Audrey Aung Ayse Ayesha Barbara Beatrice Beatriz Ben Benjamin Bernard Bernd Beth Bethany Betty Bianca
    Birgit Björn Bogdan Boris Brandon Brenda Brian Bridget Britta Bruno Camila Camille Carla Carlos Carmen Carol Carolina
    Caroline Carolyn Catarina Catherine Cecilia Celia Chantal Charlotte Chen Chiara Chinedu Chloe Chloé Chris Christian
    Christina Christine Christoph Christopher Chukwu Claire Clara Claudia Claudio Colin Connor Craig Cristina Cynthia Dagmar
    Daisuke Dana Daniel Daniela Danielle Danuta Darren David Deborah Deepa Deepak Denise Dennis Derek Diana Diane Diego Dieter
    Dimitri Dmitri Dmitry Dominique Donald Donna Dora Doris Dorothy Douglas Edith Eduardo Edward Eileen Elaine Eleanor Elena
    Eleni Elif Elin Elisa Elisabeth Elise Elizabeth Ella Ellen Elsa Emanuel Emily Emma Emmanuel Enrique Eric Erik Erika Erin
    Esra Esther Ethan Eva Eve Evelyn Ewa Fabio Farah Farid Fatima Fatma Federico Felipe Felix Fernanda Fernando Fiona Florian
    Frances Francesca Francesco Francisco Francois François Françoise Franz Frederick Frederik Frida Friedrich Gabriel Gabriela
    Gabriele Gareth Gary Gavin Geeta Gemma Geoffrey George Georg Georgia Gerald Gerard Gerhard Giovanni Giulia Giuseppe Gita
    Gloria Gordon Graham Greta Gregory Guadalupe Gudrun Guillermo Gunnar Gustav Habib Hana Hannah Hans Harald Haruto Harold
    Harriet Harry Hassan Heather Hector Heidi Heike Heinrich Helen Helena Helga Helmut Henrik Henry Herbert Hiroshi Howard Hugo
    Hussein Ian Ibrahim Ida Ignacio Igor Ilse Imran Inès Ines Inga Inge Ingrid Irena Irene Irina Iris Isaac Isabel Isabella
    Isabelle Ivan Jack Jacek Jackie Jacob Jacqueline Jacques Jakub Jamal James Jamie Jan Jana Jane Janet Janice Janina Jasmin
    Jasmine Javier Jason Jean Jeanne Jeff Jeffrey Jennifer Jenny Jeremy Jessica Jesús Jill Jim Jin Joan Joana Joanna Joanne João
    Joao Joel Johan Johann Johanna John Johnny Jon Jonas Jonathan Jordan Jorge José Jose Josef Joseph Josephine Joshua Joyce
    Juan Judith Julia Julian Julie Julien Jürgen Jutta Kaito Kamal Karen Karim Karin Karl Karolina Kasia Katarzyna Kate
    Katharina Katherine Kathleen Kathryn Katja Kavita Keiko Keith Kelly Ken Kenji Kenneth Kerry Kerstin Kevin Khadija Khalid
    Khaled Kim Kirsten Klaus Krishna Kristin Kristina Krzysztof Kumar Kwame Lakshmi Lars Laura Lauren Laurent Layla Leah Leila
    Lena Leo Leon Leonard Leonardo Leonie Leslie Liam Lilian Lillian Lily Lina Linda Lisa Louis Louise Luca Lucas Lucia Lucía
    Lucy Luigi Luis Luisa Lukas Luke Lydia Magdalena Magnus Mahmoud Maja Manfred Manuel Manuela Marc Marcel Marcin Marco Marcos
    Marcus Margaret Margarita Margit Maria María Mariam Marian Mariana Marie Marina Mario Marion Marjorie Mark Marko Markus
    Marta Martha Martin Martina Mary Maryam Mateusz Mathias Mats Matteo Matthew Matthias Maureen Maurice Max Maximilian Maya
    Megan Mehmet Mei Melanie Melissa Mia Michael Michal Michel Michelle Miguel Mikael Mike Mikhail Milan Minh Miriam Mitchell
    Mohamed Mohammad Mohammed Mona Monica Monika Monique Muhammad Mustafa Nadia Naomi Natalia Natalie Natasha Nathan Neha Neil
    Ngozi Nicholas Nick Nicola Nicolas Nicole Niels Nikhil Nikolai Nils Nina Noah Nora Norman Nuno Olaf Ole Olga Oliver Olivia
    Olivier Omar Oscar Otto Pablo Pamela Paola Paolo Patricia Patrick Paul Paula Pauline Paulo Pavel Pedro Peggy Per Peter Petra
    Philip Philippe Phillip Pierre Pilar Piotr Pooja Priya Rachel Rafael Rahul Raj Rajesh Rajiv Ralph Ramón Ramona Rana Raquel
    Rashid Ravi Rebecca Renata René Renate Ricardo Richard Rick Rita Robert Roberta Roberto Robin Roger Roland Ronald Rosa
    Rosemary Roberta Ruben Rudolf Ruth Ryan Sabine Sabrina Said Salma Sam Samantha Samir Samuel Sandeep Sandra Sanjay Sara Sarah
    Satoshi Sean Sebastian Sergei Sergio Shabnam Shan Shanti Sharon Shirley Sigrid Silke Silvia Simon Simone Sofia Sofie Sonia
    Sophia Sophie Stanislaw Stefan Stefanie Stella Stephanie Stephen Steve Steven Stuart Sunil Sunita Susan Susana Susanne
    Suzanne Sven Svetlana Sylvia Takashi Tamara Tanya Tara Tariq Tatiana Teresa Terence Theodore Theresa Thi Thomas Tim Timothy
    Tina Tobias Todd Tom Tomasz Tommy Tony Tracy Trevor Ulrich Ulrike Umar Ursula Uwe Valentina Valerie Vanessa Vera Veronica
    Veronika Victor Victoria Vijay Vikram Viktor Vincent Virginia Vivian Vladimir Walter Wanda Wayne Wei Wendy Werner Wilhelm
    William Wolfgang Xavier Xin Yan Yasmin Yasuko Yolanda Youssef Yuki Yuri Yusuf Yves Yvonne Zahra Zainab Zeynep Zoe Zofia
    """.split()  # noqa: SIM905
)

FAMOUS = re.compile(
    r"(?:Pierre Robin|Pierre Marie|Marcus Gunn|Austin Flint|Robert Koch|Marie Curie|Peter Pan|Martin[ -]Gruber|Charles Bonnet"
    r"|Simon Broome|Karl Fischer|Max Planck|Paul Ehrlich|Louis Pasteur|Albert Einstein|Sigmund Freud|Carl Rogers|Erik Erikson"
    r"|Virginia Mason|Walter Reed|Thomas Willis|Ludwig Angina|Oscar Wilde|Martin Luther|Barbara Bush|Paul Bunnell|Anton Syndrome"
    r"|Edward Jenner|Hans Selye|Charles Darwin|Isaac Newton|Helen Keller|Thomas Kilmann|Marie Stopes|Victoria Cross)\b",
)
"""Two words that name a syndrome, a sign, an institution or somebody long known, and no patient."""
NO_SURNAME = frozenset(
    """
    australia austria belgium brazil britain bulgaria california canada china colombia denmark egypt england ethiopia europe
    finland france germany greece hungary iceland india indonesia iran iraq ireland israel italy japan kenya korea lebanon
    malaysia mexico nepal netherlands nigeria norway pakistan peru philippines poland portugal romania russia scotland singapore
    spain sweden switzerland taiwan tanzania thailand turkey uganda ukraine wales america africa asia london paris boston york
    island islands lake falls beach bay coast river valley north south east west northern southern eastern western
    aspirin metformin insulin warfarin apixaban rivaroxaban dabigatran heparin ibuprofen paracetamol acetaminophen prednisone
    prednisolone morphine ketamine lithium estradiol oestradiol testosterone levothyroxine melatonin zinc iron calcium magnesium
    sequence murmur pupil anastomosis angina splint rule theory protocol nucleus canal ligament duct gland node nodes valve stent
    task test diet fast pharma blood kit assay gene germanica canina damascena europaea
    catheter tube mask airway blade needle suture flap graft bypass shunt virus fever pox
    """.split()  # noqa: SIM905
)
"""Places, drugs and things of medicine that stand behind a given name and are no surname."""
