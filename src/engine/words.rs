//! Choices that have a word on the command line.

/// Reads and shows the variants of an enumeration by their words. What is none of them is
/// answered with the complaint.
macro_rules! words {
    ($choice:ident, $complaint:literal, { $($variant:ident => $word:literal),+ $(,)? }) => {
        impl std::str::FromStr for $choice {
            type Err = String;

            fn from_str(text: &str) -> Result<Self, String> {
                match text {
                    $($word => Ok($choice::$variant),)+
                    _ => Err($complaint.into()),
                }
            }
        }

        impl std::fmt::Display for $choice {
            fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
                f.write_str(match self {
                    $($choice::$variant => $word,)+
                })
            }
        }
    };
}

pub(crate) use words;
